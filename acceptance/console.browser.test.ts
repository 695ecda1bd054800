import { readFileSync } from "node:fs";
import { MeetingImport } from "@minutes/contract";
import { createSignInToken } from "@minutes/core";
import type { TestServer } from "@minutes/server/testing";
import { givePassword, needs, PASSWORD, type Person } from "@minutes/testing";
import { unzipSync } from "fflate";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import {
  type ConsoleVisit,
  chooseAction,
  press,
  tabTo,
  useConsole,
  visitConsole,
  waitForDialog,
} from "./support/console.js";
import { daysAgo, giveTurbineReview } from "./support/turbine-review.js";

describe("the console", needs("chromium"), () => {
  let server: TestServer;
  let admin: Person;
  let colleague: Person;
  let visit: ConsoleVisit;
  let page: Page;

  useConsole(async (scene) => {
    ({ server, member: colleague, visit, page } = scene);
    admin = scene.company.admin;
    await giveTurbineReview(server, admin);
    await page.reload();
  });

  test("lists meetings, opens one with the keyboard, and the back button comes back to the same place", async () => {
    const list = page.getByRole("region", { name: "Meetings" });
    const getPlace = () => page.evaluate<number>("window.scrollY");
    await list.getByRole("link").first().waitFor();
    await expect
      .poll(async () => {
        await page.evaluate("window.scrollTo(0, 3000)");
        return list.locator('[data-index="40"]').count();
      })
      .toBe(1);
    await list.locator('[data-index="40"]').getByRole("link").focus();
    const before = await getPlace();
    expect(before).toBeGreaterThan(1000);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Summary" }).waitFor();
    await page.goBack();
    await list.getByRole("link").first().waitFor();
    await expect.poll(async () => Math.abs((await getPlace()) - before)).toBeLessThan(100);
  });

  test("scrolls to the oldest of more meetings than a page holds", async () => {
    await visit.go("Meetings");
    await expect
      .poll(async () => {
        await page.evaluate("window.scrollTo(0, 1e9)");
        return page.getByText("Turbine review").count();
      })
      .toBe(1);
  });

  test("exports a meeting as Markdown, Word, WebVTT, SubRip, JSON and for an e-mail, with all that it holds", async () => {
    const { meetingId: stored } = await server.given.meeting(admin, {
      title: "Download me",
      startTime: daysAgo(5),
      summary: { markdown: "We **agree**." },
      tasks: [{ text: "Write it down" }],
      tags: [{ name: "Archive" }],
      transcript: [
        { speakerId: "a", speakerName: "Zoë <b>", text: "First & foremost.", start: 1.5, end: 4 },
        { speakerId: "b", speakerName: "Ben", text: "二番目", start: 4, end: 3725.25 },
      ],
    });
    const day = daysAgo(5).slice(0, 10);
    await visit.open(`/meetings/${stored}`, "Download me");
    const download = async (format: string) => {
      const downloading = page.waitForEvent("download");
      await chooseAction(page, `Export as ${format}`);
      const file = await downloading;
      const bytes = readFileSync(await file.path());
      return { name: file.suggestedFilename(), bytes, text: bytes.toString("utf8") };
    };
    expect(await download("WebVTT")).toMatchObject({
      name: `${day} Download me.vtt`,
      text: "WEBVTT\n\n00:00:01.500 --> 00:00:04.000\n<v Zoë &lt;b&gt;>First &amp; foremost.</v>\n\n00:00:04.000 --> 01:02:05.250\n<v Ben>二番目</v>\n",
    });
    expect(await download("SubRip")).toMatchObject({
      name: `${day} Download me.srt`,
      text: "1\n00:00:01,500 --> 00:00:04,000\nZoë <b>: First & foremost.\n\n2\n00:00:04,000 --> 01:02:05,250\nBen: 二番目\n",
    });
    const markdown = await download("Markdown");
    expect(markdown.name).toBe(`${day} Download me.md`);
    for (const part of [
      "# Download me",
      "We **agree**.",
      "- [ ] Write it down",
      "- Tags: Archive",
      "First & foremost.",
    ])
      expect(markdown.text).toContain(part);
    const word = await download("Word");
    expect(word.name).toBe(`${day} Download me.docx`);
    const document = new TextDecoder().decode(unzipSync(word.bytes)["word/document.xml"]);
    for (const part of ["Download me", "☐ Write it down", "Zoë &lt;b&gt;", "  0:01", "First &amp; foremost."])
      expect(document).toContain(`>${part}</w:t>`);
    expect(document).toContain('<w:b/></w:rPr><w:t xml:space="preserve">agree</w:t>');
    const json = await download("JSON");
    expect(json.name).toBe(`${day} Download me.json`);
    // The form that uploads take: nothing of the meeting is missing.
    expect(MeetingImport.parse(JSON.parse(json.text))).toMatchObject({
      ...{ title: "Download me", summary: { markdown: "We **agree**." } },
      ...{ tasks: [{ text: "Write it down", completed: false }], tags: [{ name: "Archive" }] },
      transcript: [
        { speakerName: "Zoë <b>", text: "First & foremost.", start: 1.5, end: 4 },
        { speakerName: "Ben", text: "二番目", start: 4, end: 3725.25 },
      ],
    });
    await visit.browser.grantPermissions(["clipboard-read", "clipboard-write"], { origin: server.url });
    await chooseAction(page, "Copy for e-mail");
    await page.getByText("Summary and tasks copied.").waitFor();
    const copied = (type: string) =>
      page.evaluate<string>(
        `navigator.clipboard.read().then(([item]) => item.getType("${type}")).then((blob) => blob.text())`,
      );
    expect(await copied("text/plain")).toMatch(
      /^Download me\n\n.+\n\nWe \*\*agree\*\*\.\n\nTasks\n☐ Write it down\n$/,
    );
    const html = await copied("text/html");
    for (const part of ["<h2>Download me</h2>", "<strong>agree</strong>", "<li>☐ Write it down</li>"])
      expect(html).toContain(part);
    expect(html).not.toContain("foremost");
  });

  test("with the keyboard alone: signs in, opens a meeting, ticks its task, and deletes it after a question", async () => {
    const { meetingId: doomed, taskIds } = await server.given.meeting(colleague, {
      title: "By keyboard",
      tasks: [{ text: "Call the plant" }],
    });
    await givePassword(server, colleague);
    const theirs = await visitConsole(server, colleague, visit);
    try {
      const { page: own } = theirs;
      await theirs.browser.clearCookies();
      await own.goto(`${server.url}/sign-in`);
      await own.locator("input[type=password]").waitFor();
      await tabTo(own, "E-mail");
      await own.keyboard.type(colleague.email);
      await tabTo(own, "Password");
      await own.keyboard.type(PASSWORD);
      await press(own, "Enter");
      await own.getByRole("link", { name: /^By keyboard/ }).waitFor();
      await tabTo(own, /^By keyboard/);
      await press(own, "Enter");
      await own.getByRole("checkbox", { name: "Completed: Call the plant" }).waitFor();
      await tabTo(own, "Completed: Call the plant");
      await press(own, "Space");
      await expect
        .poll(async () => (await server.data(colleague.key, "me/tasks.list", { meetingId: doomed })).tasks)
        .toMatchObject([{ id: taskIds[0], completed: true }]);
      await own.getByRole("button", { name: "More", exact: true }).focus();
      await press(own, "Enter");
      await own.getByRole("menu").waitFor();
      const moveDown = async () => {
        await press(own, "ArrowDown");
        return own.evaluate("document.activeElement.textContent");
      };
      await expect.poll(moveDown).toBe("Delete");
      await press(own, "Enter");
      await waitForDialog(own, "Delete this meeting?");
      await press(own, "Tab", "Enter");
      await own.getByRole("heading", { name: "Meetings", level: 1 }).waitFor();
      await expect
        .poll(async () => (await server.call(colleague.key, "me/meetings.get", { meetingId: doomed })).status)
        .toBe(404);
    } finally {
      await theirs.close();
    }
  });

  test("a session that ends leads to the sign-in page, and back to the same page afterwards", async () => {
    const other = await visitConsole(server, colleague, visit);
    await other.go("Tasks");
    await other.browser.clearCookies();
    // The page can notice it by itself, too.
    await other.page.reload();
    await other.page.getByRole("heading", { name: "Sign in to Minutes" }).waitFor();
    expect(new URL(other.page.url()).searchParams.get("to")).toBe("/tasks");
    await other.page.goto(`${other.page.url()}#${await createSignInToken(server.db, colleague.userId)}`);
    await other.page.getByRole("button", { name: /^Sign in as / }).click();
    await other.page.getByRole("heading", { name: "Tasks", level: 1 }).waitFor();
    await other.close();
  });

  test("no page made the browser report an error", () => {
    // Refused reads of signed-out pages are network errors, not page errors.
    expect(visit.faults.filter((fault) => !/status of 40[134]/.test(fault))).toEqual([]);
  });
});

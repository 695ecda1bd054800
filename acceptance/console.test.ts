import { readFileSync } from "node:fs";
import { MeetingImport } from "@minutes/contract";
import { createSignInToken } from "@minutes/core";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, givePassword, insertMeetings, needs, PASSWORD, type Person } from "@minutes/testing";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import {
  buildConsole,
  CONSOLE_DIRECTORY,
  type ConsoleVisit,
  press,
  tabTo,
  visitConsole,
} from "./support/console.js";

let visit: ConsoleVisit;
let server: TestServer;
let company: Company;
let admin: Person;
let colleague: Person;
let meetingId: string;
let page: Page;

/** Returns the time some days ago, within the default search range. */
const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString();

const open: ConsoleVisit["open"] = (path, heading) => visit.open(path, heading);
const go: ConsoleVisit["go"] = (label) => visit.go(label);

describe("the console", needs("chromium"), () => {
  beforeAll(async () => {
    await buildConsole();
    server = await startTestServer({ consoleDirectory: CONSOLE_DIRECTORY });
    company = await server.given.company();
    admin = company.admin;
    colleague = await server.given.member(company);
    ({ meetingId } = await server.given.meeting(admin, {
      title: "Turbine review",
      startTime: daysAgo(30),
      summary: { markdown: "## Turbines\n\nThey are late." },
      transcript: [
        { speakerId: "a", speakerName: "Ada", text: "The turbines are late because of the gearbox." },
        { speakerId: "b", speakerName: "Ben", text: "We order a spare." },
      ],
      tasks: [{ text: "Order a spare gearbox" }],
    }));
    await insertMeetings(server.db, admin, { count: 120, firstStart: daysAgo(10) });
    visit = await visitConsole(server, admin);
    page = visit.page;
  });
  afterAll(async () => {
    await visit?.close();
    await server?.close();
  });

  test("lists meetings, opens one with the keyboard, and the back button comes back to the same place", async () => {
    const list = page.getByRole("region", { name: "Meetings" });
    const getPlace = () => page.evaluate<number>("window.scrollY");
    await list.getByRole("link").first().waitFor();
    await page.evaluate("window.scrollTo(0, 3000)");
    await expect.poll(() => list.locator('[data-index="40"]').count()).toBe(1);
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
    await go("Meetings");
    await expect
      .poll(async () => {
        await page.evaluate("window.scrollTo(0, 1e9)");
        return page.getByText("Turbine review").count();
      })
      .toBe(1);
  });

  test("downloads a meeting as Markdown, WebVTT and JSON, with all that it holds", async () => {
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
    await open(`/meetings/${stored}`, "Download me");
    const download = async (format: string) => {
      const downloading = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("menuitem", { name: format }).click();
      const file = await downloading;
      return { name: file.suggestedFilename(), text: readFileSync(await file.path(), "utf8") };
    };
    expect(await download("WebVTT")).toEqual({
      name: `${day} Download me.vtt`,
      text: "WEBVTT\n\n00:00:01.500 --> 00:00:04.000\n<v Zoë &lt;b&gt;>First &amp; foremost.</v>\n\n00:00:04.000 --> 01:02:05.250\n<v Ben>二番目</v>\n",
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
      await own.getByRole("button", { name: "Delete" }).focus();
      await press(own, "Enter");
      await own.getByRole("dialog", { name: "Delete this meeting?" }).waitFor();
      await press(own, "Tab", "Enter");
      await own.getByRole("heading", { name: "Meetings", level: 1 }).waitFor();
      await expect
        .poll(
          async () => (await server.call(colleague.key, "me/meetings.get", { meetingId: doomed })).status,
          {
            timeout: 60_000,
          },
        )
        .toBe(404);
    } finally {
      await theirs.close();
    }
  });

  test("ticks and edits a task", async () => {
    await go("Tasks");
    await page.getByRole("button", { name: "Edit: Order a spare gearbox" }).click();
    await page.getByLabel("Task text").fill("Order two gearboxes");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByRole("checkbox", { name: "Completed: Order two gearboxes" }).click();
    await expect
      .poll(async () => {
        const { tasks } = await server.data(admin.key, "me/tasks.list", { meetingId });
        return tasks.map(({ text, completed }) => [text, completed]);
      })
      .toEqual([["Order two gearboxes", true]]);
  });

  test("groups tasks by day, in the address", async () => {
    await go("Tasks");
    await page.getByText("All", { exact: true }).click();
    await page.getByRole("region", { name: "Turbine review" }).waitFor();
    await page.getByText("By day", { exact: true }).click();
    await page.getByRole("region", { name: "Turbine review" }).waitFor({ state: "detached" });
    const day = page.locator("main section").filter({ hasText: "Order two gearboxes" });
    await day.getByRole("link", { name: "Turbine review" }).waitFor();
    await expect.poll(() => day.getByRole("heading").textContent()).toMatch(/Today|\d/);
    expect(new URL(page.url()).search).toBe("?shown=all&by=day");
  });

  test("tags a meeting and shares it with a member", async () => {
    await open(`/meetings/${meetingId}`, "Turbine review");
    await page.getByLabel("New tag").fill("Hardware");
    await page.getByRole("button", { name: "Add tag" }).click();
    await page.getByRole("button", { name: "Remove the tag Hardware" }).waitFor();
    const pill = await page.locator(".mantine-Pill-root", { hasText: "Hardware" }).boundingBox();
    expect(pill?.height, "a short tag is on one line").toBeLessThan(30);
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("combobox", { name: "Share with" }).click();
    await page.getByRole("option", { name: new RegExp(colleague.email) }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Share", exact: true }).click();
    await expect
      .poll(async () => (await server.call(colleague.key, "me/meetings.get", { meetingId })).status)
      .toBe(200);
    await page
      .getByRole("region", { name: "Who can read this meeting" })
      .getByText("shared directly")
      .waitFor();
    await press(page, "Escape");
  });

  test("creates a key in one dialog, and the key works", async () => {
    await go("Developers");
    await page.getByRole("button", { name: "Create a key" }).click();
    await page.getByLabel("Permissions", { exact: true }).selectOption({ value: "read" });
    await page.getByLabel("Expires").fill("2099-12-31");
    await page.getByRole("textbox", { name: "Name", exact: true }).fill("weekly report");
    await page.keyboard.press("Enter");
    const key = await page.getByLabel("key", { exact: true }).textContent();
    expect((await server.call(key, "me/meetings.list")).status).toBe(200);
    expect((await server.call(key, "me/tasks.update", { taskId: "none", completed: true })).status).toBe(403);
    await page.reload();
    await page.getByRole("cell", { name: "weekly report Read only" }).waitFor();
    await page.locator('time[datetime="2099-12-31T23:59:59.999Z"]').waitFor();
    await expect.poll(() => page.content()).not.toContain(key);
  });

  test("a tag that marks a meeting is listed after the meetings were, shared with a member, and deleted", async () => {
    await open("/meetings", "Meetings");
    await visit.settle();
    await go("Tags");
    const row = page.getByRole("row", { name: /Hardware/ });
    await row.getByLabel(/^E-mail of a member/).fill(colleague.email);
    await page.keyboard.press("Enter");
    await row.getByRole("button", { name: `Stop sharing with ${colleague.name}` }).waitFor();
    await row.getByRole("button", { name: "Delete" }).click();
    await page
      .getByRole("dialog")
      .getByText(/1 meeting loses the tag/)
      .waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await row.waitFor({ state: "detached" });
  });

  test("asks before a meeting is deleted; undo keeps it, and leaving the page deletes it at once", async () => {
    const doomed = await server.given.meeting(admin, { title: "Doomed meeting" });
    await open(`/meetings/${doomed.meetingId}`, "Doomed meeting");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    expect((await server.call(admin.key, "me/meetings.get", { meetingId: doomed.meetingId })).status).toBe(
      200,
    );
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByRole("heading", { name: "Meetings" }).waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await page.waitForTimeout(11_000);
    const ask = () => server.call(admin.key, "me/meetings.get", { meetingId: doomed.meetingId });
    expect((await ask()).status).toBe(200);
    await open(`/meetings/${doomed.meetingId}`, "Doomed meeting");
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("“Doomed meeting” deleted.").waitFor();
    await page.goto("about:blank");
    await expect.poll(async () => (await ask()).status).toBe(404);
    await open("/meetings", "Meetings");
  });

  // A page's appearance does not depend on the engine.
  test(
    "the meeting pages have no accessibility fault, wide and light, narrow and dark",
    needs("embedded"),
    async () => {
      for (const tab of ["summary", "transcript"]) {
        await open(`/meetings/${meetingId}?tab=${tab}`, "Turbine review");
        await visit.settle();
        await expect.poll(() => findFaults(page), { message: tab }).toEqual([]);
      }
      await page.getByRole("button", { name: "Share", exact: true }).click();
      await page.getByRole("region", { name: "Who can read this meeting" }).waitFor();
      await expect.poll(() => findFaults(page), { message: "Share" }).toEqual([]);
      await page.keyboard.press("Escape");
      await go("Meetings");
      await expect.poll(() => findFaults(page)).toEqual([]);
      await page.getByRole("searchbox", { name: "Search meetings" }).fill("gearbox");
      await page.getByText(/best first/).waitFor();
      await expect.poll(() => findFaults(page)).toEqual([]);
    },
  );

  test(
    "no page of the navigation has an accessibility fault, wide and light, narrow and dark",
    needs("embedded"),
    async () => {
      for (const label of await visit.listPages()) {
        await go(label);
        expect([label, await findFaults(page)]).toEqual([label, []]);
      }
    },
  );

  test("a session that ends leads to the sign-in page, and back to the same page afterwards", async () => {
    const other = await visitConsole(server, colleague, visit);
    await other.browser.clearCookies();
    await other.page.getByRole("link", { name: "Tasks" }).click();
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

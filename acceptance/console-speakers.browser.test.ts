import { needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { type ConsoleScene, chooseAction, holdNote, useConsole } from "./support/console.js";

const said = (speakerId: string, at: number, email?: string) => ({
  ...{ speakerId, speakerName: `Speaker ${speakerId}`, start: at, end: at + 5 },
  ...{ text: `The turbines of part ${at} squeak.`, ...(email ? { speakerEmail: email } : {}) },
});

/** Naming speakers and correcting a meeting, with a real server. */
describe("the console: speakers and corrections", needs("chromium"), () => {
  let scene: ConsoleScene;
  let page: Page;

  useConsole((started) => {
    scene = started;
    page = scene.page;
  });

  const giveMeeting = (title: string) =>
    scene.server.given.meeting(scene.company.admin, {
      title,
      summary: { markdown: "Speaker 1 asked." },
      transcript: ["1", "2", "3", "4", "1"].map((id, at) => said(id, at * 5)),
      calendarEvent: {
        attendees: ["Ada", "Ben", "Cleo", "Dan"].map((name) => ({
          ...{ name, email: `${name.toLowerCase()}.console@example.com` },
        })),
      },
    });
  const read = (meetingId: string) =>
    scene.server.data(scene.company.admin.key, "me/meetings.get", { meetingId });

  test("four unknown speakers are named by keyboard alone, in at most 30 actions", async () => {
    const { meetingId } = await giveMeeting("By keyboard");
    await scene.visit.open(`/meetings/${meetingId}`, "By keyboard");
    await page.getByRole("list", { name: "Speakers" }).waitFor();
    let actions = 0;
    const press = async (key: string) => {
      actions++;
      await page.keyboard.press(key);
    };
    const readFocus = () =>
      page.evaluate<string | null>("document.activeElement.ariaLabel ?? document.activeElement.textContent");
    while ((await readFocus()) !== "More") {
      expect(actions).toBeLessThan(15);
      await press("Tab");
    }
    await press("Enter");
    await page.locator("[role=menu]:focus, [role=menu] :focus").waitFor();
    await expect.poll(readFocus).toBe("Name the speakers");
    await press("Enter");
    const dialog = page.getByRole("dialog", { name: "Who is this?" });
    for (const number of [1, 2, 3, 4]) {
      await dialog.getByText(`Speaker ${number}`, { exact: true }).waitFor();
      await dialog.locator("input:focus").waitFor();
      await page.locator("[data-combobox-option]").first().waitFor({ state: "attached" });
      await press("ArrowDown");
      await page.locator("[data-combobox-selected]").waitFor();
      await press("Enter");
      if (number === 1) await page.getByText("The summary says “Speaker 1” once.").waitFor();
    }
    await expect.poll(() => dialog.count()).toBe(0);
    expect(actions).toBeLessThanOrEqual(30);
    expect((await read(meetingId)).participants.map(({ name }) => name)).toEqual([
      ...["Ada", "Ben", "Cleo", "Dan"],
    ]);
    await expect.poll(() => page.locator(".turn-head .turn-speaker").first().textContent()).toBe("Ada");
    expect(scene.visit.faults).toEqual([]);
  });

  test("one speaker is named by a click and by typing, and undone; no open list covers the fields", async () => {
    const { meetingId } = await giveMeeting("By mouse");
    await scene.visit.open(`/meetings/${meetingId}`, "By mouse");
    await page.locator(".turn-head").getByRole("button", { name: "Speaker 2" }).click();
    const dialog = page.getByRole("dialog", { name: "Who is this?" });
    const name = dialog.getByRole("combobox", { name: "Name", exact: true });
    await expect.poll(() => name.evaluate((field) => field.matches(":focus"))).toBe(true);
    expect(await name.getAttribute("aria-expanded")).toBe("false");
    await name.fill("Zoe");
    await dialog.getByLabel("E-mail address").fill("zoe.console@example.com");
    await dialog.getByRole("button", { name: "Save" }).click();
    const note = await holdNote(page, "Speaker changed.");
    await expect.poll(() => dialog.count()).toBe(0);
    expect((await read(meetingId)).participants[1]).toMatchObject({
      ...{ name: "Zoe", email: "zoe.console@example.com" },
    });
    await note.getByRole("button", { name: "Undo" }).click();
    await page.locator(".turn-head").getByRole("button", { name: "Speaker 2" }).waitFor();
    expect((await read(meetingId)).participants[1]).toMatchObject({ name: "Speaker 2", email: null });
  });

  test("the text of a turn decides on which side its speaker is, not their name; a task's where its assignee is", async () => {
    const { meetingId } = await scene.server.given.meeting(scene.company.admin, {
      title: "Two directions",
      transcript: [
        { speakerId: "1", speakerName: "Ada", text: "صباح الخير، نبدأ بجدول الشتاء." },
        { speakerId: "2", speakerName: "ليلى", text: "Good morning, let us begin." },
      ],
      tasks: [{ text: "الاتصال بمدير الميناء", assignee: { name: "Ada" } }],
    });
    await scene.visit.open(`/meetings/${meetingId}`, "Two directions");
    const turns = page.locator(".turn");
    await expect.poll(() => turns.count()).toBe(2);
    const sides = await turns.evaluateAll((all) =>
      all.map((turn) => {
        const name = turn.querySelector(".turn-speaker")?.getBoundingClientRect().x ?? 0;
        const time = turn.querySelector(".turn-time")?.getBoundingClientRect().x ?? 0;
        return name > time ? "right" : "left";
      }),
    );
    expect(sides).toEqual(["right", "left"]);
    await page.locator(".task bdi").waitFor();
    const direction = "getComputedStyle(document.querySelector('.task bdi').parentElement).direction";
    expect(await page.evaluate<string>(direction)).toBe("rtl");
  });

  test("a turn that is given to somebody else keeps the text typed with it, and one undo takes both back", async () => {
    const { meetingId } = await giveMeeting("Somebody else");
    await scene.visit.open(`/meetings/${meetingId}`, "Somebody else");
    await page.getByRole("button", { name: "Edit this turn" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Correct this turn" });
    await dialog.getByLabel("What was said").fill("The windmills squeak.");
    await dialog.getByRole("combobox", { name: "Speaker" }).click();
    await page.getByRole("option", { name: "Someone else" }).click();
    await dialog.getByLabel("Name").fill("Zoe");
    await dialog.getByRole("button", { name: "Save" }).click();
    const note = await holdNote(page, "Turn corrected.");
    const turn = page.locator(".turn", { hasText: "The windmills squeak." });
    await turn.getByRole("button", { name: "Zoe" }).waitFor();
    await note.getByRole("button", { name: "Undo" }).click();
    await page.locator(".turn", { hasText: "The turbines of part 0" }).getByText("Speaker 1").waitFor();
  });

  test("title, summary and a turn are edited in place, and a version is compared and restored", async () => {
    const { meetingId } = await giveMeeting("Before");
    await scene.visit.open(`/meetings/${meetingId}`, "Before");
    await chooseAction(page, "Edit title");
    await page.getByLabel("Title").fill("After");
    await page.getByLabel("Title").press("Enter");
    await page.getByRole("heading", { name: "After", level: 1 }).waitFor();
    const title = page.locator("[aria-label=Title]");
    await title.waitFor({ state: "detached" });
    await chooseAction(page, "Edit title");
    // The library's menus return the focus 10 ms after they close, unless they are told not to.
    await page.evaluate("new Promise((done) => setTimeout(done, 20))");
    await title.and(page.locator(":focus")).press("Escape");
    await page.locator(".notes").getByRole("button", { name: "Edit", exact: true }).first().click();
    await page.getByLabel("Summary in Markdown").fill("The **gearbox** fits.");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".summary strong", { hasText: "gearbox" }).waitFor();
    await page.getByRole("button", { name: "Edit this turn" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Correct this turn" });
    await dialog.getByLabel("What was said").fill("The windmills squeak.");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.locator(".turn-text", { hasText: "The windmills squeak." }).waitFor();
    await chooseAction(page, "Versions");
    const versions = page.getByRole("dialog", { name: "Versions" });
    await versions.getByRole("button", { name: "Compare" }).last().click();
    await versions.getByRole("region", { name: "Version 1" }).getByText("Before").waitFor();
    await versions.getByRole("region", { name: "Version 4" }).getByText("After").waitFor();
    await versions.getByRole("button", { name: "Restore" }).last().click();
    await page.getByRole("heading", { name: "Before", level: 1 }).waitFor();
    expect(await read(meetingId)).toMatchObject({
      title: "Before",
      summary: { markdown: "Speaker 1 asked." },
    });
    expect(scene.visit.faults).toEqual([]);
  });
});

import { type Meeting, needs } from "@minutes/testing";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { type ConsoleScene, holdNote, SCREENS, useConsole } from "./support/console.js";

const said = (speakerId: string, speakerName: string, at: number) => ({
  ...{ speakerId, speakerName, start: at, end: at + 5, text: "The wombat sleeps." },
});

/** People known only by name, as after an import of transcripts, on both sizes of the console. */
describe.each(SCREENS)("on %s", needs("chromium"), (_, size) => {
  let scene: ConsoleScene;
  let page: Page;

  useConsole((started) => {
    scene = started;
    page = scene.page;
  });
  beforeEach(() => page.setViewportSize(size));

  const heard = (title: string, ...names: string[]) =>
    scene.server.given.meeting(scene.company.admin, {
      title,
      startTime: "2026-01-05T10:00:00.000Z",
      transcript: names.map((name, at) => said(`s${at}`, name, at * 5)),
    });
  const namesOf = async ({ meetingId }: { meetingId: string }) =>
    (await scene.server.data(scene.company.admin.key, "me/meetings.get", { meetingId })).participants.map(
      ({ name, email }) => email ?? name,
    );

  test("a person known by name is marked, and confirmed in all meetings at once, with undo", async () => {
    const { name, email } = scene.member;
    const meetings = [await heard("First", name, "Speaker 2"), await heard("Second", name)];
    await page.goto(`${scene.server.url}/people/per_unknown`);
    await page.getByRole("heading", { name: "Person", level: 1, exact: true }).waitFor();
    await page.getByRole("alert").getByRole("link", { name: "People", exact: true }).click();
    await page.getByRole("heading", { name: "People", level: 1 }).waitFor();
    await scene.visit.go("People");
    const row = page.getByRole("row", { name: new RegExp(name) });
    await row.getByText("Unconfirmed").waitFor();
    expect(await page.getByText("Speaker 2").count()).toBe(0);
    await row.getByRole("link", { name }).click();
    await page.getByRole("heading", { name, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/people\/per_/);
    const field = page.getByRole("combobox", { name: "Name", exact: true });
    await expect.poll(() => field.inputValue()).toBe(`${name} (${email})`);
    await expect.poll(() => findFaults(page, [[size, "light"]])).toEqual([]);
    await page.getByRole("button", { name: "Confirm in 2 meetings" }).click();
    const note = await holdNote(page, "Confirmed in 2 meetings.");
    await page.getByText(email, { exact: false }).first().waitFor();
    await expect.poll(() => page.getByText("Unconfirmed").count()).toBe(0);
    expect(await Promise.all(meetings.map(namesOf))).toEqual([[email, "Speaker 2"], [email]]);
    await note.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone in 2 meetings.").waitFor();
    expect(await Promise.all(meetings.map(namesOf))).toEqual([[name, "Speaker 2"], [name]]);
    await page.getByRole("button", { name: "Confirm in 2 meetings" }).waitFor();
    for (const { meetingId } of meetings)
      await scene.server.call(scene.company.admin.key, "me/meetings.delete", { meetingId });
  });

  test("undoing a new name leaves one unconfirmed person in as many meetings as before", async () => {
    const meetings: Meeting[] = [];
    for (const title of ["Fifth", "Sixth", "Seventh"]) meetings.push(await heard(title, "Inspector Bell"));
    await scene.visit.open("/people", "People");
    const faults = scene.visit.faults.length;
    await page.getByRole("link", { name: "Inspector Bell" }).click();
    await page.getByRole("combobox", { name: "Name", exact: true }).fill("Agnes Bell");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Confirm in 3 meetings" }).click();
    const note = await holdNote(page, "Confirmed in 3 meetings.");
    await page.getByRole("heading", { name: "Agnes Bell", level: 1 }).waitFor();
    await note.getByRole("button", { name: "Undo" }).click();
    await page.getByText("Undone in 3 meetings.").waitFor();
    await page.getByRole("heading", { name: "Inspector Bell", level: 1 }).waitFor();
    await scene.visit.open("/people", "People");
    const rows = page.getByRole("row", { name: /Bell/ });
    await expect.poll(() => rows.count()).toBe(1);
    await rows.getByText("Unconfirmed").waitFor();
    await rows.getByText("3", { exact: true }).waitFor();
    expect(scene.visit.faults.slice(faults)).toEqual([]);
    for (const { meetingId } of meetings)
      await scene.server.call(scene.company.admin.key, "me/meetings.delete", { meetingId });
  });

  test("naming a speaker in one meeting names them in the others on request", async () => {
    const meetings = [await heard("Third", "Zoe"), await heard("Fourth", "Zoe")];
    await scene.visit.open(`/meetings/${meetings[0]?.meetingId}`, "Third");
    await page.getByRole("list", { name: "Speakers" }).getByRole("button", { name: "Zoe" }).click();
    const dialog = page.getByRole("dialog", { name: "Who is this?" });
    await dialog.getByRole("checkbox", { name: "Also in the other 1 meeting where “Zoe” speaks" }).check();
    await dialog.getByRole("combobox", { name: "Name", exact: true }).fill("Zoe Zander");
    await page.keyboard.press("Escape");
    await dialog.getByLabel("E-mail address").fill("zoe.z@example.com");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByText("Confirmed in 2 meetings.").waitFor();
    expect(await Promise.all(meetings.map(namesOf))).toEqual([["zoe.z@example.com"], ["zoe.z@example.com"]]);
    for (const { meetingId } of meetings)
      await scene.server.call(scene.company.admin.key, "me/meetings.delete", { meetingId });
  });
});

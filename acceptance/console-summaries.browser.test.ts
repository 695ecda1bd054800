import { startRecordingWorker } from "@minutes/core";
import { needs } from "@minutes/testing";
import { sql } from "drizzle-orm";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import {
  type ConsoleScene,
  chooseAction,
  SCREENS,
  startConsole,
  visitConsole,
  waitForDialog,
} from "./support/console.js";

const WORDS = "We talked about the turbines, the budget and who will call the supplier.";

/** Instructions for summaries, and summaries that are rewritten with them. */
describe.each(SCREENS)("summaries on %s", needs("chromium"), (_, size) => {
  const queue = { enabled: true, wake: () => {} };
  let scene: ConsoleScene;
  let page: Page;

  beforeAll(async () => {
    scene = await startConsole({ summaries: queue });
    page = scene.page;
    await page.setViewportSize(size);
  });
  afterAll(() => scene?.close());

  const give = (title: string, text = WORDS) =>
    scene.server.given.meeting(scene.company.admin, {
      ...{ title, summary: { markdown: "The first summary." } },
      transcript: [{ speakerId: "s1", speakerName: "Ben Cole", text }],
    });

  /** Writes the summaries that are asked for, until the test ends. */
  const work = (write: () => string) => {
    const summariser = async () => ({ summary: { markdown: write() } });
    const { db } = scene.server;
    const worker = startRecordingWorker({ db, summariser, recordingDays: 30, interval: 50, backoff: [] });
    onTestFinished(worker.stop);
    return worker;
  };

  const openMeeting = async (what: { meetingId: string }, title: string) => {
    await scene.visit.open(`/meetings/${what.meetingId}`, title);
    await page.getByText("The first summary.").waitFor();
  };

  const askToRewrite = async () => {
    await chooseAction(page, "Rewrite summary");
    return waitForDialog(page, "Rewrite the summary");
  };

  test("instructions are created and changed, a summary is rewritten with one, and undone", async () => {
    const meeting = await give("Supplier");
    await scene.visit.go("Summaries");
    await page.getByText("You have no instructions yet.").waitFor();
    expect(await findFaults(page, [[size, "light"]])).toEqual([]);
    await page.getByRole("button", { name: "Create an instruction" }).click();
    const form = await waitForDialog(page, "Create an instruction");
    await form.getByLabel("What the summary should be like").fill("Begin with objections. ".repeat(20));
    await form.getByRole("button", { name: "Create" }).click();
    await form.getByText("Fill in this field.").waitFor();
    await form.getByLabel("Name").fill("Customer call");
    await form.getByLabel("Use it for meetings with the tag").fill("customer");
    expect(await findFaults(page, [[size, "light"]])).toEqual([]);
    await form.getByRole("button", { name: "Create" }).click();
    const row = page.getByRole("row", { name: /Customer call/ });
    await row.getByText("The tag “customer”").waitFor();
    await row.getByText("As spoken").waitFor();
    await row.getByRole("button", { name: "Show all" }).click();
    await row.getByRole("button", { name: "Show less" }).waitFor();

    await row.getByRole("button", { name: "Edit" }).click();
    const edited = await waitForDialog(page, "Edit “Customer call”");
    await edited.getByLabel("Language").selectOption("German");
    await edited.getByLabel("Use it for all other meetings").check();
    await edited.getByRole("button", { name: "Save" }).click();
    await row.getByText("The tag “customer”, all others").waitFor();
    await row.getByText("German").waitFor();
    expect(
      await findFaults(page, [
        [size, "dark"],
        [size, "light"],
      ]),
    ).toEqual([]);

    await openMeeting(meeting, "Supplier");
    const dialog = await askToRewrite();
    await dialog.getByLabel("Instruction").selectOption("Customer call");
    expect(await findFaults(page, [[size, "light"]])).toEqual([]);
    await dialog.getByRole("button", { name: "Rewrite" }).click();
    await page.getByText("The summary will be rewritten as “Customer call” says, in German.").waitFor();
    await page.getByText("A new summary is being written. This one stays until then.").waitFor();
    // It closes after a few seconds.
    const notified = page.getByText("The summary has been rewritten.").waitFor();
    const worker = work(() => "The second summary.");
    await Promise.all([notified, page.getByText("The second summary.").waitFor()]);
    await page.getByText("Written as “Customer call” says, in German.", { exact: true }).waitFor();
    expect(await findFaults(page, [[size, "light"]])).toEqual([]);
    await chooseAction(page, "Versions");
    const versions = await waitForDialog(page, "Versions");
    await versions.getByRole("button", { name: "Restore" }).click();
    await page.keyboard.press("Escape");
    await page.getByText("The first summary.").waitFor();
    await worker.stop();

    work(() => {
      throw new Error("no");
    });
    await (await askToRewrite()).getByRole("button", { name: "Rewrite" }).click();
    await page.getByText("The new summary could not be written.").waitFor();
    await page.getByText("The first summary.").waitFor();

    await scene.visit.go("Summaries");
    await row.getByRole("button", { name: "Delete" }).click();
    await (await waitForDialog(page)).getByRole("button", { name: "Delete" }).click();
    await page.getByText("You have no instructions yet.").waitFor();
  });

  test("a summary that can't be rewritten has no such action, or says why; members see the team's instructions", async () => {
    const { server, company, member, visit } = scene;
    const [short, locked] = [await give("Short", "Hello."), await give("Locked")];
    const silent = await server.given.meeting(company.admin, { title: "Silent" });
    await openMeeting(short, "Short");
    const dialog = await askToRewrite();
    await dialog.getByText("A meeting needs 10 spoken words for a summary.").waitFor();
    expect(await dialog.getByRole("button", { name: "Rewrite" }).count()).toBe(0);
    await server.db.execute(sql`update summaries set locked = true where meeting_id = ${locked.meetingId}`);
    const expectNoAction = async ({ meetingId }: { meetingId: string }, title: string) => {
      await visit.open(`/meetings/${meetingId}`, title);
      await page.getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Versions" }).waitFor();
      expect(await page.getByRole("menuitem", { name: "Rewrite summary" }).count()).toBe(0);
    };
    await expectNoAction(locked, "Locked");
    await expectNoAction(silent, "Silent");
    queue.enabled = false;
    onTestFinished(() => {
      queue.enabled = true;
    });
    await expectNoAction(short, "Short");
    await visit.open("/summaries", "Summaries");
    await page.getByText(/has no model that writes summaries/).waitFor();
    await page.getByRole("button", { name: "Create a team instruction" }).click();
    const form = await waitForDialog(page, "Create a team instruction");
    await form.getByLabel("Name").fill("Stand-up");
    await form.getByRole("button", { name: "Create" }).click();
    const row = page.getByRole("row", { name: /Stand-up/ });
    await row.getByText("Only when chosen").waitFor();

    await server.given.shared(short, member);
    const theirs = await visitConsole(server, member, visit);
    onTestFinished(theirs.close);
    await theirs.page.setViewportSize(size);
    await theirs.open("/summaries", "Summaries");
    await theirs.page.getByRole("row", { name: /Stand-up/ }).waitFor();
    const team = theirs.page.getByRole("region", { name: "Team instructions" });
    expect(await team.getByRole("button").count()).toBe(0);
    await theirs.open(`/meetings/${short.meetingId}`, "Short");
    await theirs.page.getByText("The first summary.").waitFor();
    await theirs.page.getByRole("button", { name: "More", exact: true }).click();
    await theirs.page.getByRole("menuitem", { name: "Copy link" }).waitFor();
    expect(await theirs.page.getByRole("menuitem", { name: /summary|Versions|Delete|hold/ }).count()).toBe(0);
  });
});

import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MESSAGES, TRANSCRIPTION_FAILURES } from "@minutes/contract";
import { startRecordingWorker } from "@minutes/core";
import {
  createUploader,
  createWav,
  SPOKEN,
  startAudioServer,
  startTestServer,
} from "@minutes/server/testing";
import { needs, temporaryDir } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { buildConsole, CONSOLE_DIRECTORY, SCREENS, visitConsole } from "./support/console.js";
import { openSlowLine } from "./support/slow-line.js";

/** Length in seconds of a recording of 10 MB, which is longer than what a browser's connection buffers. */
const LONG = 600;

/** Writes recordings, as they lie on a person's disk. */
async function writeRecordings(lengths: Readonly<Record<string, number>>): Promise<string[]> {
  const folder = await temporaryDir();
  return Promise.all(
    Object.entries(lengths).map(async ([name, seconds]) => {
      const path = join(folder, name);
      await writeFile(path, createWav(seconds));
      await utimes(path, 1_772_000_000, 1_772_000_000);
      return path;
    }),
  );
}

/** Uploads of recordings in the console, to a transcriber over HTTP. */
describe.each(SCREENS)("recordings on %s", needs("chromium"), (_, size) => {
  beforeAll(buildConsole);

  async function openUploads(answer?: Parameters<typeof startAudioServer>[0]) {
    const started = await startAudioServer({ ...answer, consoleDirectory: CONSOLE_DIRECTORY });
    const line = await openSlowLine(started.server.port);
    const { admin } = await started.server.given.company();
    const visit = await visitConsole({ db: started.server.db, url: line.url }, admin);
    onTestFinished(() => visit.close());
    const { page } = visit;
    await page.setViewportSize(size);
    await visit.go("Add meetings");
    await page.getByText("Recordings are transcribed: MP3, WAV").waitFor();
    const choose = (files: string[]) => page.getByLabel("Files to upload").setInputFiles(files);
    const find = (name: string | RegExp) => page.getByRole("article", { name });
    const press = (name: string) => page.getByRole("button", { name, exact: true }).press("Enter");
    const list = async () => {
      const url = `${started.server.url}/rest/v1/me/transcriptions`;
      const answer = await fetch(url, { headers: { "x-api-key": admin.key } });
      return ((await answer.json()) as { transcriptions: unknown[] }).transcriptions;
    };
    return { ...started, line, list, visit, page, choose, find, press };
  }

  test("several are uploaded and transcribed; each shows its meeting, or why there is none", async () => {
    const { page, visit, choose, find, press, transcriber } = await openUploads({
      answer: (_response, number) => (number === 1 ? SPOKEN : { ...SPOKEN, segments: [] }),
    });
    await choose(await writeRecordings({ "Standup 2026-03-01.wav": 1, "Silence 2026-03-02.wav": 2 }));
    const good = find("Standup 2026-03-01.wav");
    await good.getByText("Completed").waitFor();
    const bad = find("Silence 2026-03-02.wav");
    await bad.getByText(TRANSCRIPTION_FAILURES.silent).waitFor();
    await page.getByText("1 completed, 1 failed").waitFor();
    expect(transcriber.asked.map(({ file }) => file?.bytes.length)).toEqual([16_044, 32_044]);
    expect(await findFaults(page)).toEqual([]);
    await page.setViewportSize(size);
    await press("Remove from this list: Silence 2026-03-02.wav");
    await bad.waitFor({ state: "detached" });
    await good.getByRole("link", { name: "Open the meeting" }).click();
    await page.getByRole("heading", { level: 1, name: "Standup" }).waitFor();
    expect(visit.faults).toEqual([]);
  });

  test("one is paused, continued and canceled; nothing of it stays", async () => {
    const { page, line, choose, find, press, list, directory, transcriber } = await openUploads();
    const [long = ""] = await writeRecordings({ "Long 2026-03-03.wav": LONG });
    line.hold(1_000_000);
    await choose([long]);
    const recording = find("Long 2026-03-03.wav");
    await recording.getByText(/^Uploading, [1-9]/).waitFor();
    expect(await findFaults(page)).toEqual([]);
    await page.setViewportSize(size);
    await press("Pause Long 2026-03-03.wav");
    await recording.getByText(/^Paused, /).waitFor();
    line.cut();
    // A busy server asks to come back in an hour: the person need not wait for that.
    const refused = page.waitForResponse((one) => one.status() === 503);
    await page.route("**/audio/v1/uploads/*", (route) =>
      route.request().method() === "PATCH"
        ? route.fulfill({ status: 503, headers: { "retry-after": "3600" } })
        : route.fallback(),
    );
    await press("Continue Long 2026-03-03.wav");
    await refused;
    await press("Pause Long 2026-03-03.wav");
    await recording.getByText(/^Paused, /).waitFor();
    await page.unrouteAll();
    line.hold(2_000_000);
    await press("Continue Long 2026-03-03.wav");
    await expect.poll(() => line.offsets.at(-1)).toBeGreaterThan(0);
    await recording.getByText(/^Uploading, /).waitFor();
    await press("Cancel: Long 2026-03-03.wav");
    await recording.waitFor({ state: "detached" });
    line.cut();
    expect(await list()).toEqual([]);
    expect(await readdir(directory)).toEqual([]);
    expect(transcriber.asked).toEqual([]);
  });

  test("one continues by itself after the connection was cut, and after a reload with the same file", async () => {
    const { page, line, visit, choose, find, transcriber } = await openUploads();
    const [long = ""] = await writeRecordings({ "Long 2026-03-03.wav": LONG });
    line.hold(1_000_000);
    await choose([long]);
    await expect.poll(() => line.offsets).toEqual([0]);
    const recording = find("Long 2026-03-03.wav");
    await recording.getByText(/^Uploading, [1-9]/).waitFor();
    line.cut();
    line.hold(2_000_000);
    // A browser can repeat a request on its own; then the server says that it has more.
    await expect.poll(() => line.offsets.at(-1)).toBeGreaterThan(0);
    const second = line.offsets.at(-1) ?? 0;
    await recording.getByText(/^Uploading, [1-9]/).waitFor();
    await page.reload();
    line.cut();
    await recording.getByText("Choose the same file again to continue.").waitFor();
    await choose([long]);
    await recording.getByText("Completed").waitFor();
    expect(line.offsets.at(-1)).toBeGreaterThan(second);
    expect(transcriber.asked.map(({ file }) => file?.bytes.length)).toEqual([createWav(LONG).length]);
    await visit.settle();
  });
});

describe("recordings of a person", needs("chromium"), () => {
  beforeAll(buildConsole);

  test("whose summary is being written say so, by the meeting's title after a reload, and lead to it only then", async () => {
    const started = await startAudioServer({
      consoleDirectory: CONSOLE_DIRECTORY,
      summaries: { enabled: true, wake: () => {} },
    });
    const { db } = started.server;
    const { admin } = await started.server.given.company();
    const visit = await visitConsole(started.server, admin);
    onTestFinished(() => visit.close());
    const { page } = visit;
    await visit.go("Add meetings");
    await page
      .getByLabel("Files to upload")
      .setInputFiles(await writeRecordings({ "Standup 2026-03-01.wav": 1 }));
    const waiting = "The meeting can be opened when its summary is written.";
    const sent = page.getByRole("article", { name: "Standup 2026-03-01.wav" });
    await sent.getByText(waiting).waitFor();
    await page.reload();
    const recording = page.getByRole("article", { name: "Standup", exact: true });
    await recording.getByText(waiting).waitFor();
    await page.getByText("1 to summarize").waitFor();
    const link = recording.getByRole("link", { name: "Open the meeting" });
    expect(await link.count()).toBe(0);
    const worker = startRecordingWorker({ db, summariser: null, recordingDays: 30 });
    onTestFinished(() => worker.stop());
    await link.waitFor();
    await page.reload();
    await link.click();
    await page.getByRole("heading", { level: 1, name: "Standup" }).waitFor();
    expect(visit.faults).toEqual([]);
  });

  test("are not uploaded for another account that signs in in another tab", async () => {
    const started = await startAudioServer({ consoleDirectory: CONSOLE_DIRECTORY });
    const { db, port, given } = started.server;
    const line = await openSlowLine(port);
    const at = { db, url: line.url };
    const company = await given.company();
    const member = await given.member(company);
    const visit = await visitConsole(at, company.admin);
    onTestFinished(() => visit.close());
    const { page, browser } = visit;
    await visit.go("Add meetings");
    line.hold(1_000_000);
    const files = await writeRecordings({ "Long 2026-03-03.wav": LONG, "Short 2026-03-04.wav": 1 });
    await page.getByLabel("Files to upload").setInputFiles(files);
    await expect.poll(() => line.offsets).toEqual([0]);
    await visitConsole(at, member, undefined, Promise.resolve({ browser, close: async () => {} }));
    line.cut();
    for (const name of ["Long 2026-03-03.wav", "Short 2026-03-04.wav"])
      await page
        .getByRole("article", { name })
        .getByText(/^Another account is signed in now/)
        .waitFor();
    const list = async ({ key }: { readonly key: string }) => {
      const answer = await fetch(`${started.server.url}/rest/v1/me/transcriptions`, {
        headers: { "x-api-key": key },
      });
      return ((await answer.json()) as { transcriptions: unknown }).transcriptions;
    };
    expect(await list(member)).toEqual([]);
    expect(await list(company.admin)).toMatchObject([
      { fileName: "Long 2026-03-03.wav", state: "uploading" },
    ]);
    expect(started.transcriber.asked).toEqual([]);
  });

  test("are listed with the share of their parts that is transcribed", async () => {
    const started = await startAudioServer({ consoleDirectory: CONSOLE_DIRECTORY });
    const { db, given, url } = started.server;
    const { admin } = await given.company();
    await createUploader(url, admin.key).begin(9, { filename: "Workshop.wav" });
    await db.execute(sql`update transcriptions set state = 'transcribing', parts = 5, parts_heard = 2,
      due_at = now() + interval '50 seconds'`);
    const visit = await visitConsole(started.server, admin);
    onTestFinished(() => visit.close());
    await visit.go("Add meetings");
    await visit.page.getByRole("article", { name: "Workshop.wav" }).getByText("Transcribing, 40 %").waitFor();
  });
});

test("without a transcriber, the page says what to set, and offers no audio", needs("chromium"), async () => {
  await buildConsole();
  const server = await startTestServer({ consoleDirectory: CONSOLE_DIRECTORY });
  onTestFinished(() => server.close());
  const { admin } = await server.given.company();
  const visit = await visitConsole(server, admin);
  onTestFinished(() => visit.close());
  await visit.go("Add meetings");
  // The page shows what is in backticks as code.
  await visit.page.getByText(MESSAGES.noTranscriber.replaceAll("`", "")).waitFor();
  expect(await visit.page.getByLabel("Files to upload").getAttribute("accept")).not.toContain("mp3");
});

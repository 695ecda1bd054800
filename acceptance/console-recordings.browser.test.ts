import { readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MESSAGES, TRANSCRIPTION_FAILURES } from "@minutes/contract";
import { createWav, SPOKEN, startAudioServer, startTestServer } from "@minutes/server/testing";
import { needs, temporaryDir } from "@minutes/testing";
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
    await good.getByText("Completed").waitFor({ timeout: 60_000 });
    const bad = find("Silence 2026-03-02.wav");
    await bad.getByText(TRANSCRIPTION_FAILURES.silent).waitFor({ timeout: 60_000 });
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
    await recording.getByText("Completed").waitFor({ timeout: 120_000 });
    expect(line.offsets.at(-1)).toBeGreaterThan(second);
    expect(transcriber.asked.map(({ file }) => file?.bytes.length)).toEqual([createWav(LONG).length]);
    await visit.settle();
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
  await visit.page.getByText(MESSAGES.noTranscriber).waitFor();
  expect(await visit.page.getByLabel("Files to upload").getAttribute("accept")).not.toContain("mp3");
});

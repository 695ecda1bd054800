import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { findConverter, SPOKEN, startAudioServer } from "@minutes/server/testing";
import { needs, temporaryDir } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { findFaults } from "./support/accessibility.js";
import { buildConsole, CONSOLE_DIRECTORY, SCREENS, visitConsole } from "./support/console.js";

/** What is read of an element of audio. */
interface Sound {
  currentTime: number;
  readonly duration: number;
  readonly paused: boolean;
  readonly playbackRate: number;
  readonly readyState: number;
  pause(): void;
}

/** Length of the recording in seconds. */
const LENGTH = 30;

/** Records a tone, as a stereo WAV file on a person's disk. */
async function record(ffmpeg: string): Promise<string> {
  const path = join(await temporaryDir(), "Standup 2026-03-01.wav");
  const tone = `sine=frequency=300:duration=${LENGTH}`;
  execFileSync(ffmpeg, ["-loglevel", "error", "-f", "lavfi", "-i", tone, "-ac", "2", path]);
  return path;
}

/** Plays a recording that was uploaded, converted, transcribed and kept. */
describe.each(SCREENS)("a recording on %s", needs("chromium", "ffmpeg", "prlimit"), (_, size) => {
  beforeAll(buildConsole);

  async function openMeeting() {
    const converter = await findConverter(process.env.PATH);
    if (!converter) throw new Error("no converter");
    const long = { converter, above: 25 * 1024 * 1024, longest: 3_600, part: 600 };
    const started = await startAudioServer({
      long,
      answer: () => SPOKEN,
      consoleDirectory: CONSOLE_DIRECTORY,
    });
    const { server } = started;
    const { admin } = await server.given.company();
    await server.db.execute(sql`update workspaces set audio_days = 7`);
    const visit = await visitConsole(server, admin);
    onTestFinished(() => visit.close());
    const { page } = visit;
    await page.setViewportSize(size);
    await visit.go("Add meetings");
    await page.getByText("Your workspace keeps the audio of recordings for 7 days.").waitFor();
    await page.getByLabel("Files to upload").setInputFiles(await record(converter.ffmpeg));
    const file = page.getByRole("article", { name: "Standup 2026-03-01.wav" });
    await file.getByText("Completed").waitFor();
    const isKept = () => server.db.select({ ready: sql<boolean>`ready` }).from(sql`kept_audio`);
    await expect.poll(async () => (await isKept())[0]?.ready).toBe(true);
    await file.getByRole("link", { name: "Open the meeting" }).click();
    await page.getByRole("heading", { level: 1, name: "Standup" }).waitFor();
    const audio = page.getByLabel("Recording", { exact: true });
    const showTranscript = async () => {
      const tab = page.getByRole("tab", { name: "Transcript" });
      if (size.width < 1_000) await tab.click();
      await audio.waitFor();
    };
    await showTranscript();
    const read = () =>
      audio.evaluate((element: Sound) => ({
        ...{ at: element.currentTime, length: element.duration, isPaused: element.paused },
        ...{ speed: element.playbackRate, isReady: element.readyState > 0 },
      }));
    const pause = () => audio.evaluate((element: Sound) => element.pause());
    const getSpoken = () => page.locator('.turn[aria-current="true"]').allTextContents();
    return { ...started, visit, page, audio, showTranscript, read, pause, getSpoken };
  }

  test("a click on a turn plays that second, and marks the turn that is spoken", async () => {
    const { page, visit, read, pause, getSpoken, audio } = await openMeeting();
    await expect.poll(async () => (await read()).isReady).toBe(true);
    expect(Math.round((await read()).length)).toBe(LENGTH);
    expect(await getSpoken()).toEqual([]);
    await page.getByRole("link", { name: "Play turn 2, at 0:05" }).click();
    await expect.poll(async () => (await read()).at).toBeGreaterThan(5.3);
    const { at, isPaused } = await read();
    expect([isPaused, at < LENGTH]).toEqual([false, true]);
    await expect.poll(async () => (await read()).at).toBeGreaterThan(at);
    await expect.poll(getSpoken).toEqual([expect.stringContaining(SPOKEN.segments[1]?.text.trim() ?? "-")]);
    await pause();
    await page.getByRole("link", { name: "Play turn 1, at 0:00" }).click();
    await expect.poll(async () => (await read()).isPaused).toBe(false);
    await pause();
    await audio.evaluate((element: Sound) => {
      element.currentTime = 1;
    });
    await expect.poll(getSpoken).toEqual([expect.stringContaining(SPOKEN.segments[0]?.text.trim() ?? "-")]);
    expect(await findFaults(page)).toEqual([]);
    expect(visit.faults).toEqual([]);
  });

  test("starts at the turn for which the page was opened, and can skip pauses", async () => {
    const { page, server, read, audio, showTranscript } = await openMeeting();
    await server.db.execute(sql`update transcript_segments set end_seconds = 1 where position = 0`);
    await server.db.execute(sql`update transcript_segments set start_seconds = 20 where position = 1`);
    const url = new URL(page.url());
    url.searchParams.set("at", "1");
    await page.goto(url.href);
    await showTranscript();
    await expect.poll(async () => (await read()).at).toBe(20);
    expect((await read()).isPaused).toBe(true);
    await page.getByLabel("Skip pauses").check();
    const heard = await audio.evaluateHandle((element: Sound & EventTarget) => {
      const times: number[] = [];
      element.addEventListener("timeupdate", () => times.push(element.currentTime));
      return times;
    });
    await page.getByRole("link", { name: "Play turn 1, at 0:00" }).click();
    await expect.poll(() => heard.evaluate((times) => times.at(-1))).toBeGreaterThan(20);
    const times = await heard.evaluate((all) => all.slice(all.lastIndexOf(0) + 1));
    expect(times.filter((at) => at > 12 && at < 19)).toEqual([]);
  });

  test("keys play, pause and seek; the speed stays", async () => {
    const { page, read, audio } = await openMeeting();
    await expect.poll(async () => (await read()).isReady).toBe(true);
    await page.getByLabel("Speed").selectOption("1.5");
    expect((await read()).speed).toBe(1.5);
    await audio.focus();
    await page.keyboard.press("Space");
    await expect.poll(async () => (await read()).isPaused).toBe(false);
    await page.keyboard.press("Space");
    await expect.poll(async () => (await read()).isPaused).toBe(true);
    const { at } = await read();
    await page.keyboard.press("ArrowRight");
    await expect.poll(async () => (await read()).at).toBeGreaterThan(at + 1);
    expect((await read()).speed).toBe(1.5);
  });

  test("says so where it can't be played, plays after another try, and is gone with the audio", async () => {
    const { page, server, read, showTranscript } = await openMeeting();
    await page.route("**/audio/v1/recordings/**", (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await showTranscript();
    await page.getByRole("alert").getByText("The recording can't be played.").waitFor();
    await page.unroute("**/audio/v1/recordings/**");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect.poll(async () => (await read()).isReady).toBe(true);
    expect(await page.getByText("The recording can't be played.").count()).toBe(0);
    await server.db.execute(sql`delete from kept_audio`);
    await page.reload();
    await page.getByRole("link", { name: "Link to turn 2, at 0:05" }).waitFor();
    expect(await page.getByLabel("Recording", { exact: true }).count()).toBe(0);
  });

  test("leads to the sign-in page when the session has ended", async () => {
    const { page, server, showTranscript } = await openMeeting();
    await page.route("**/audio/v1/recordings/**", (route) => route.fulfill({ status: 404 }));
    await page.reload();
    await showTranscript();
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await server.db.execute(sql`delete from sessions`);
    await again.click();
    await page.waitForURL("**/sign-in**");
  });
});

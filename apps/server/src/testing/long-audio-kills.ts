import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectEmbedded, schema } from "@minutes/db";
import { emptyDataDir } from "@minutes/testing";
import { eq } from "drizzle-orm";
import { expect } from "vitest";
import { sendAll } from "./audio-kills.js";
import { createUploader } from "./audio-uploads.js";
import { minutesJson } from "./installation.js";
import { startProcess } from "./process.js";
import { createWav, SPOKEN, startTranscriber } from "./transcriber.js";

const ANNA = "anna@example.com";
const BEN = "ben@example.com";

/** Lengths in seconds of the parts of a long recording, which differ so that requests tell which part they send. */
const PARTS = [400, 480, 560, 240];
/** Length in seconds of the pauses between them, and bytes of a second of WAV and of MP3. */
const PAUSE = 4;
const [WAV_SECOND, MP3_SECOND] = [16_000, 8_000];

/** Creates a recording of 27 MB that is cut in known places. */
export function createLongWav(number: number): Buffer {
  const wav = createWav(PARTS.reduce((sum, length) => sum + length, 0) + number / 10);
  let end = 0;
  for (const length of PARTS.slice(0, -1)) {
    end += length;
    const from = 44 + WAV_SECOND * (end - PAUSE / 2);
    wav.fill(0, from, from + WAV_SECOND * PAUSE);
  }
  return wav;
}

/** Returns which part of a long recording a request sends. */
export function findPart(bytes: number): number {
  const distances = PARTS.map((length) => Math.abs(bytes - length * MP3_SECOND));
  return distances.indexOf(Math.min(...distances));
}

/** What is durable of the waiting long recording: names of finished parts, and when it was converted. */
async function readKept(directory: string) {
  const names = await readdir(directory);
  const converted = names.find((name) => name.endsWith(".converted.kept"));
  const audio = converted?.replace(/kept$/, "audio");
  return {
    parts: names.flatMap((name) => /\.answer-(\d)\.kept$/.exec(name)?.[1] ?? []).map(Number),
    convertedAt: audio ? (await stat(join(directory, audio))).mtimeMs : null,
  };
}

/**
 * Kills a server process at random moments while it transcribes long recordings of one owner and short ones of another. Checks that
 * no finished part is transcribed and no recording converted again, that each becomes one meeting, is charged once, and leaves no audio.
 */
export async function killDuringLongRecordings(times: number): Promise<void> {
  let finished: readonly number[] = [];
  const repeated: number[] = [];
  let convertedAt: number | null = null;
  const transcriber = await startTranscriber((response) => {
    const bytes = transcriber.asked.at(-1)?.file?.bytes.length ?? 0;
    const part = findPart(bytes);
    if (bytes > 1_000_000 && finished.includes(part)) repeated.push(part);
    setTimeout(() => response.end(JSON.stringify(SPOKEN)), 100 + Math.random() * 1_500);
    return undefined;
  });
  const dataDir = await emptyDataDir();
  const directory = join(dataDir, "audio");
  const settings = {
    ...{ DATA_DIR: dataDir, DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000" },
    ...{ TRANSCRIBER_URL: transcriber.url, TRANSCRIBER_MODEL: "whisper-1" },
  };
  await minutesJson(["workspaces", "create", "Company", "--plan", "team"], settings);
  const keys: string[] = [];
  for (const owner of [ANNA, BEN]) {
    await minutesJson(["users", "create", owner, "--workspace", "Company"], settings);
    keys.push((await minutesJson<{ key: string }>(["keys", "create", owner], settings)).key);
  }
  const [anna = "", ben = ""] = keys;
  const sent = { long: 0, short: 0 };
  const send = async (url: string, key: string, wav: Buffer, filename: string) => {
    const uploader = createUploader(url, key);
    await sendAll(uploader, await uploader.begin(wav.length, { filename }), wav);
  };
  const countWaiting = async (url: string, key: string) => {
    const answer = await fetch(`${url}/rest/v1/me/transcriptions`, { headers: { "x-api-key": key } });
    const { transcriptions } = (await answer.json()) as { transcriptions: { state: string }[] };
    expect(transcriptions.filter(({ state }) => state === "failed")).toEqual([]);
    return transcriptions.filter(({ state }) => state !== "completed").length;
  };

  for (let kills = 0; kills < times; kills++) {
    const server = await startProcess(settings);
    if ((await countWaiting(server.url, anna)) === 0) {
      [finished, convertedAt] = [[], null];
      await send(server.url, anna, createLongWav(sent.long), `long ${sent.long++}.wav`);
    }
    await send(server.url, ben, createWav(1 + sent.short / 10), `short ${sent.short++}.wav`);
    // Each attempt before the first finished part counts, so every second one gets beyond the conversion.
    const isConverted = async () =>
      (await readKept(directory)).convertedAt !== null || (await countWaiting(server.url, anna)) === 0;
    if (kills % 2 === 1) await expect.poll(isConverted).toBe(true);
    await sleep(Math.random() * 3_000);
    await server.stop("SIGKILL");
    const kept = await readKept(directory);
    finished = kept.parts;
    if (convertedAt !== null && kept.convertedAt !== null) expect(kept.convertedAt).toBe(convertedAt);
    convertedAt = kept.convertedAt;
  }
  const server = await startProcess(settings);
  const count = async () => (await countWaiting(server.url, anna)) + (await countWaiting(server.url, ben));
  await expect.poll(count, { timeout: 300_000, interval: 500 }).toBe(0);
  await expect.poll(() => readdir(directory)).toEqual([]);
  await server.stop();
  expect(repeated).toEqual([]);
  const { db, close } = await connectEmbedded({ dataDir });
  const charges = await db.$count(schema.creditCharges);
  const meetings = await db.$count(schema.recordings, eq(schema.recordings.state, "completed"));
  await close();
  expect([charges, meetings]).toEqual([sent.long + sent.short, sent.long + sent.short]);
}

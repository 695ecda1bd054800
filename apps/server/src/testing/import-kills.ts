import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectEmbedded, schema } from "@minutes/db";
import { expect } from "vitest";
import { minutesJson } from "./installation.js";
import { createLongWav, findPart } from "./long-audio-kills.js";
import { emptyDataDir, launchMinutes, temporaryDir } from "./process.js";
import { SPOKEN, startTranscriber } from "./transcriber.js";

const OWNER = "anna@example.com";

/** Lists what is durable of a recording: the numbers of its finished parts. */
const readFinished = async (directory: string): Promise<number[]> =>
  (await readdir(directory).catch(() => []))
    .flatMap((name) => /\.answer-(\d)\.kept$/.exec(name)?.[1] ?? [])
    .map(Number);

/**
 * Kills `minutes import` of long recordings at random moments, and repeats it. Checks that no finished part is transcribed again, and
 * that each recording becomes one meeting, is charged once, and leaves nothing.
 */
export async function killDuringImports(times: number): Promise<void> {
  let [finished, requests]: [readonly number[], number] = [[], 0];
  const repeated: number[] = [];
  const transcriber = await startTranscriber((response, _, { file }) => {
    const part = findPart(file?.bytes.length ?? 0);
    if (finished.includes(part)) repeated.push(part);
    requests += 1;
    // Kept ones would fill the memory.
    transcriber.asked.splice(0);
    setTimeout(() => response.end(JSON.stringify(SPOKEN)), 100 + Math.random() * 1_500);
    return undefined;
  });
  const [dataDir, folder] = [await emptyDataDir(), await temporaryDir()];
  const kept = join(dataDir, "imports");
  const settings = {
    ...{ DATA_DIR: dataDir, DEMO: "off", PATH: process.env.PATH ?? "" },
    ...{ TRANSCRIBER_URL: transcriber.url, TRANSCRIBER_MODEL: "whisper-1" },
  };
  await minutesJson(["workspaces", "create", "Company", "--plan", "team"], settings);
  await minutesJson(["users", "create", OWNER, "--workspace", "Company"], settings);

  let [kills, resumable, recordings] = [0, 0, 0];
  while (kills < times) {
    const file = join(folder, `call ${recordings}.wav`);
    await writeFile(file, createLongWav(recordings));
    recordings += 1;
    finished = [];
    for (let isDone = false; !isDone; ) {
      const command = ["import", file, "--owner", OWNER];
      const before = requests;
      const { child, ended } = launchMinutes(command, settings);
      let isRunning = true;
      void ended.then(() => {
        isRunning = false;
      });
      // Each attempt converts the recording again, so every second one gets beyond that.
      if (kills % 2 === 1) await expect.poll(() => requests > before || !isRunning).toBe(true);
      if (kills < times)
        await Promise.race([ended, sleep(Math.random() * 3_000)]).then(() => child.kill("SIGKILL"));
      const { code, signal, stderr } = await ended;
      if (signal === null) expect([code, stderr]).toEqual([0, expect.any(String)]);
      else kills += 1;
      isDone = code === 0;
      finished = await readFinished(kept);
      if (finished.length > 0) resumable += 1;
    }
    expect([finished, await readdir(kept)]).toEqual([[], []]);
    await rm(file);
  }
  expect(repeated).toEqual([]);
  // Otherwise nothing was tested.
  expect(resumable).toBeGreaterThan(0);
  const { db, close } = await connectEmbedded({ dataDir });
  const counts = [await db.$count(schema.creditCharges), await db.$count(schema.meetings)];
  await close();
  expect(counts).toEqual([recordings, recordings]);
}

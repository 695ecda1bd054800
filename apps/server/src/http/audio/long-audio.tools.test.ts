import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TRANSCRIPTION_FAILURES } from "@minutes/contract";
import { createKeptFiles, openKept, setKeptAudio } from "@minutes/core/kept-audio";
import { schema } from "@minutes/db";
import { asWorkspace, needs, temporaryDir } from "@minutes/testing";
import { detectAudio } from "@minutes/transcripts/audio";
import { asc, eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";
import { findConverter } from "../../operations/audio/convert.js";
import type { LongAudio } from "../../operations/audio/hear.js";
import { createUploader, startAudioServer } from "../../testing/audio-uploads.js";
import { createWav, SPOKEN } from "../../testing/index.js";

const { transcriptions } = schema;

/** A recording of 82 seconds, for a transcriber that takes half a minute. */
const WAV = createWav(82);
const ABOVE = 500_000;
/** With these, it is small enough for the transcriber, and longer than half of what can be heard. */
const SMALL_BUT_LONG = { above: 2 * WAV.length, longest: 100 };

type Options = NonNullable<Parameters<typeof startAudioServer>[0]>;

async function startWithPerson({
  long: changed,
  ...options
}: Omit<Options, "long"> & { long?: Partial<LongAudio> } = {}) {
  const long = { converter: await findPrograms(), above: ABOVE, longest: 3_600, part: 30, ...changed };
  const started = await startAudioServer({ long, ...options });
  const company = await started.server.given.company();
  const client = createUploader(started.server.url, company.admin.key);
  const upload = async (content: Buffer) =>
    expect((await client.patch(await client.begin(content.length), 0, content)).status).toBe(204);
  const getJob = async () => (await started.server.db.select().from(transcriptions))[0];
  const waitFor = (state: string) => expect.poll(async () => (await getJob())?.state).toBe(state);
  return { ...started, company, upload, getJob, waitFor };
}

async function findPrograms() {
  const converter = await findConverter(process.env.PATH);
  if (!converter) throw new Error("no converter");
  return converter;
}

/** Puts recordings of one channel one after another, each in a channel of its own. */
function toStereo(first: Buffer, second: Buffer): Buffer {
  const [left, right] = [first.subarray(44), second.subarray(44)];
  const wav = Buffer.concat([first.subarray(0, 44), Buffer.alloc(2 * (left.length + right.length))]);
  for (const [at, value] of [
    [4, wav.length - 8],
    [28, 32_000],
    [40, wav.length - 44],
  ] as const)
    wav.writeUInt32LE(value, at);
  wav.writeUInt16LE(2, 22);
  wav.writeUInt16LE(4, 32);
  for (let at = 0; at < left.length; at += 2) wav.writeInt16LE(left.readInt16LE(at), 44 + 2 * at);
  for (let at = 0; at < right.length; at += 2)
    wav.writeInt16LE(right.readInt16LE(at), 46 + 2 * (left.length + at));
  return wav;
}

/** Finds the programs, and counts how often they run. */
async function countRuns() {
  const { ffmpeg, prlimit } = await findPrograms();
  const runs = join(await temporaryDir(), "runs");
  const counter = `${runs}.sh`;
  await writeFile(counter, `#!/bin/sh\necho run >> '${runs}'\nexec '${prlimit}' "$@"\n`, { mode: 0o700 });
  return {
    converter: { ffmpeg, prlimit: counter },
    count: async () => (await readFile(runs, "utf8")).match(/^run$/gm)?.length,
  };
}

describe("a recording above the transcriber's limit", needs("ffmpeg", "prlimit"), () => {
  test("is cut at silence into parts; their times are those of the recording", async () => {
    const wav = Buffer.from(WAV);
    wav.fill(0, 44 + 16_000 * 24, 44 + 16_000 * 26); // a pause after 24 seconds
    const { server, transcriber, directory, ...started } = await startWithPerson({
      answer: (_, number) => ({ ...SPOKEN, text: `${number}` }),
    });
    await started.upload(wav);
    await started.waitFor("completed");
    const files = transcriber.asked.map(({ file }) => file);
    expect(files.map((file) => file?.name)).toEqual(Array(3).fill("recording.mp3"));
    for (const file of files) {
      expect(file?.bytes.length).toBeLessThan(ABOVE);
      expect(detectAudio(file?.bytes ?? Buffer.alloc(0))).toEqual({ format: "mp3", complete: true });
    }
    const turns = await server.db
      .select()
      .from(schema.transcriptSegments)
      .orderBy(asc(schema.transcriptSegments.startSeconds));
    const times = turns.map(({ startSeconds }) => startSeconds);
    for (const [at, from] of [0, 25, 55].entries()) {
      expect(Math.abs((times[2 * at] ?? 0) - from)).toBeLessThan(1);
      expect(Math.abs((times[2 * at + 1] ?? 0) - from - 5.25)).toBeLessThan(1);
    }
    await expect.poll(() => readdir(directory)).toEqual([]);
  });

  test("continues after each failed part, however many: no finished part is transcribed twice", async () => {
    const { transcriber, directory, ...started } = await startWithPerson({
      long: { part: 10 },
      answer: (response, number) => {
        if (number % 2 === 1) return SPOKEN;
        response.writeHead(500).end();
        return undefined;
      },
    });
    await started.upload(WAV);
    await started.waitFor("completed");
    const heard = transcriber.asked.filter((_, at) => at % 2 === 0);
    const parts = heard.map(({ file }) => Buffer.from(file?.bytes ?? []).toString("base64"));
    expect([parts.length, new Set(parts).size]).toEqual([9, 9]);
    await expect.poll(() => readdir(directory)).toEqual([]);
    expect(await started.server.db.select().from(schema.creditCharges)).toHaveLength(1);
  });

  test("lets others go first after each part: nothing is converted or transcribed twice, and each is charged once", async () => {
    const { converter, count } = await countRuns();
    const answers: (() => void)[] = [];
    const { transcriber, server, directory, ...started } = await startWithPerson({
      long: { converter, part: 20 },
      answer: (response) => {
        answers.push(() => response.end(JSON.stringify(SPOKEN)));
        return undefined;
      },
    });
    const answer = async (number: number) => {
      await expect.poll(() => answers.length).toBeGreaterThanOrEqual(number);
      answers[number - 1]?.();
    };
    await started.upload(WAV);
    await expect.poll(() => answers.length).toBe(2);
    const ben = await server.given.person();
    const short = createUploader(server.url, ben.key);
    const sendShort = async (wav: Buffer) =>
      expect((await short.patch(await short.begin(wav.length), 0, wav)).status).toBe(204);
    const countCompleted = () => server.db.$count(transcriptions, eq(transcriptions.state, "completed"));
    for (const [round, begun] of [2, 5].entries()) {
      const wav = createWav(1 + round);
      await sendShort(wav);
      await answer(begun - 1); // one of the two parts that were begun
      await answer(begun + 1);
      await expect.poll(countCompleted).toBe(round + 1);
      expect(transcriber.asked[begun]?.file?.bytes.length).toBe(wav.length);
      await answer(begun); // the other one, then the long recording goes on
      await expect.poll(() => answers.length).toBe(round === 0 ? 5 : 7);
    }
    await answer(7);
    await expect.poll(countCompleted).toBe(3);
    const sent = transcriber.asked.map(({ file }) => Buffer.from(file?.bytes ?? []).toString("base64"));
    expect([sent.length, new Set(sent).size]).toEqual([7, 7]);
    // The long one is converted once; before, the channels of each are compared.
    expect(await count()).toBe(4);
    expect(await server.db.select().from(schema.creditCharges)).toHaveLength(3);
    await expect.poll(() => readdir(directory)).toEqual([]);
  });
});

// These store it with the same statements.
describe("a recording above the transcriber's limit", needs("embedded", "ffmpeg", "prlimit"), () => {
  test.each([
    ["long", WAV, 82],
    ["short", createWav(8), 8],
    ["with one person in each channel", toStereo(createWav(4), createWav(4)), 8],
  ])(
    "that is %s is kept as one MP3 of its length, where the workspace keeps audio",
    async (_, wav, length) => {
      const { server, directory, keyring, ...started } = await startWithPerson();
      await setKeptAudio(server.db, asWorkspace(started.company.workspaceId), 30);
      await started.upload(wav);
      await started.waitFor("completed");
      const [row] = await server.db.select().from(schema.keptAudio);
      if (!row) throw new Error("nothing is kept");
      expect(row).toMatchObject({ format: "mp3", ready: true });
      expect(Math.abs((row.seconds ?? 0) - length)).toBeLessThan(1);
      const kept = await createKeptFiles(directory).read(openKept({ keyring }, row));
      expect(kept.length).toBe(row.size);
      expect(detectAudio(kept)).toEqual({ format: "mp3", complete: true });
      // 64 kbit/s
      expect(Math.abs(kept.length / 8_000 - length)).toBeLessThan(1);
      await expect.poll(() => readdir(directory)).toEqual(["kept"]);
      expect(await readdir(join(directory, "kept"))).toEqual([`${row.id}.audio`]);
    },
  );

  test("is kept as it was uploaded, if its MP3 would be larger", async () => {
    const { ffmpeg } = await findPrograms();
    const file = join(await temporaryDir(), "small.mp3");
    const from = ["-loglevel", "error", "-i", "-", "-b:a", "16k"];
    execFileSync(ffmpeg, [...from, file], { input: createWav(20) });
    const mp3 = await readFile(file);
    const long = { above: mp3.length / 2 };
    const { server, directory, keyring, ...started } = await startWithPerson({ long });
    await setKeptAudio(server.db, asWorkspace(started.company.workspaceId), 30);
    await started.upload(mp3);
    await started.waitFor("completed");
    const [row] = await server.db.select().from(schema.keptAudio);
    if (!row) throw new Error("nothing is kept");
    expect(Math.round(row.seconds ?? 0)).toBe(20);
    expect((await createKeptFiles(directory).read(openKept({ keyring }, row))).equals(mp3)).toBe(true);
  });

  test("with one person in each channel is heard channel by channel, however short it is", async () => {
    const { server, transcriber, directory, ...started } = await startWithPerson();
    await started.upload(toStereo(createWav(4), createWav(4)));
    await started.waitFor("completed");
    expect(transcriber.asked.map(({ file }) => file?.name)).toEqual(Array(2).fill("recording.mp3"));
    // What the conversion took counted against the limits of waiting audio.
    expect((await started.getJob())?.converted).toBeGreaterThan(8 * 8_000);
    const turns = await server.db
      .select({ at: schema.transcriptSegments.startSeconds, name: schema.participants.name })
      .from(schema.transcriptSegments)
      .innerJoin(schema.participants, eq(schema.participants.id, schema.transcriptSegments.speakerId))
      .orderBy(asc(schema.transcriptSegments.position));
    expect(turns).toEqual([
      { at: 0, name: "Speaker 1" },
      { at: 0, name: "Speaker 2" },
      { at: 5.25, name: "Speaker 1" },
      { at: 5.25, name: "Speaker 2" },
    ]);
    await expect.poll(() => readdir(directory)).toEqual([]);
  });

  test("is listened to once for that, however often a recording is tried", async () => {
    const { converter, count } = await countRuns();
    const { transcriber, ...started } = await startWithPerson({
      long: { converter },
      answer: (response, number) => {
        if (number === 3) return SPOKEN;
        response.writeHead(500).end();
        return undefined;
      },
    });
    await started.upload(createWav(4));
    await started.waitFor("completed");
    expect(transcriber.asked).toHaveLength(3);
    expect(await count()).toBe(1);
  });

  test("is one that is small, but longer than half of what can be heard", async () => {
    const { transcriber, ...started } = await startWithPerson({ long: SMALL_BUT_LONG });
    await started.upload(WAV);
    await started.waitFor("completed");
    expect(transcriber.asked.map(({ file }) => file?.name)).toEqual(Array(3).fill("recording.mp3"));
  });

  test.each([
    ["short", 4],
    ["longer than half of what can be heard", 82],
  ])("without any sound needs no transcriber: %s", async (_, seconds) => {
    const { transcriber, ...started } = await startWithPerson({ long: SMALL_BUT_LONG });
    await started.upload(createWav(seconds).fill(0, 44));
    await started.waitFor("failed");
    expect(await started.getJob()).toMatchObject({ failure: "silent", attempts: 1 });
    expect(transcriber.asked).toEqual([]);
  });

  test.each<[keyof typeof TRANSCRIPTION_FAILURES, number, (wav: Buffer) => Buffer]>([
    ["tooLong", 1, (wav) => wav],
    ["unreadable", 2, (wav) => Buffer.concat([Buffer.from("fLaC"), wav.subarray(44)])],
  ])("failed: %s; no audio is left", async (failure, attempts, change) => {
    const { transcriber, directory, ...started } = await startWithPerson({ long: { longest: 60 } });
    await started.upload(change(WAV));
    await started.waitFor("failed");
    expect(await started.getJob()).toMatchObject({ failure, attempts });
    await expect.poll(() => readdir(directory)).toEqual([]);
    expect(transcriber.asked).toEqual([]);
  });
});

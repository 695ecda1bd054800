import { open, readdir, readFile, rename, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { startRecordingWorker } from "@minutes/core";
import { schema } from "@minutes/db";
import { needs } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { runHere as minutes, minutesJson } from "../testing/installation.js";
import { OWNER, openForTest } from "../testing/meeting-files.js";
import { emptyDataDir, launchMinutes, type Settings, temporaryDir } from "../testing/process.js";
import { createWav, DIARIZED, SPOKEN, startTranscriber } from "../testing/transcriber.js";

const KEY = "sk-secret";
const connect = (url: string): Settings => ({
  TRANSCRIBER_URL: url,
  TRANSCRIBER_MODEL: "whisper-1",
  TRANSCRIBER_KEY: KEY,
});

/** Writes a recording, last modified at a known time. */
async function writeRecording(name = "call.wav", bytes: Uint8Array = createWav(0.2)): Promise<string> {
  const file = join(await temporaryDir(), name);
  await writeFile(file, bytes);
  await utimes(file, new Date("2026-03-02T10:00:00Z"), new Date("2026-03-02T10:00:00Z"));
  return file;
}

/** Opens an installation with `OWNER` and a transcriber. */
async function openWith(answer?: Parameters<typeof startTranscriber>[0], more: Settings = {}) {
  const service = await startTranscriber(answer);
  const opened = await openForTest(more);
  const settings = { DATA_DIR: opened.DATA_DIR, ...connect(service.url) };
  await minutesJson(["users", "create", OWNER], settings);
  const importIt = (file: string, ...options: string[]) =>
    minutes(["import", file, "--owner", OWNER, ...options], settings);
  return { ...opened, service, settings, importIt };
}

interface Listed {
  readonly meetings: { readonly id: string; readonly title: string; readonly startTime: string }[];
}
const list = async (settings: Settings) =>
  (await minutesJson<Listed>(["meetings", "list", OWNER], settings)).meetings;

describe("minutes import of a recording", needs("embedded"), () => {
  test("becomes a meeting with its turns at their seconds; the same bytes are the same meeting", async () => {
    const { service, settings, importIt, db } = await openWith();
    await minutesJson(["vocabulary", "add", OWNER, "Pennyfrost"], settings);
    const file = await writeRecording("Turbines.wav");
    const first = await importIt(file);
    expect([first.code, first.stdout]).toEqual([0, "1 imported, 0 already there, 0 failed\n"]);
    expect(first.stderr).toContain("Turbines.wav: date taken from the file's time\n");
    expect(service.asked).toMatchObject([
      {
        fields: { prompt: "Pennyfrost" },
        file: { name: "recording.wav", bytes: new Uint8Array(createWav(0.2)) },
      },
    ]);
    const meetings = await list(settings);
    expect(meetings).toMatchObject([{ title: "Turbines", startTime: "2026-03-02T10:00:00.000Z" }]);
    const segments = await db
      .select()
      .from(schema.transcriptSegments)
      .orderBy(schema.transcriptSegments.position);
    expect(segments).toMatchObject([
      { text: SPOKEN.segments[0]?.text.trim(), startSeconds: 0, endSeconds: 4.48 },
      { text: SPOKEN.segments[1]?.text.trim(), startSeconds: 5.25, endSeconds: 9.5 },
    ]);

    const moved = `${file}.WAV`;
    await rename(file, moved);
    await utimes(moved, new Date(), new Date());
    expect(JSON.parse((await importIt(moved, "--json")).stdout)).toMatchObject({ created: 0, unchanged: 1 });
    const tagged = await importIt(moved, "--tag", "Wind");
    expect([tagged.code, tagged.stderr]).toEqual([
      1,
      expect.stringContaining("Imported before, with other content or choices (such as tags)."),
    ]);
    expect(service.asked.length).toBe(1);
    expect(JSON.parse((await importIt(moved, "--replace", "--json")).stdout)).toMatchObject({ replaced: 1 });
    expect(service.asked.length).toBe(2);

    await minutesJson(["meetings", "delete", meetings[0]?.id ?? "", "--yes"], settings);
    expect((await importIt(moved)).stderr).toContain("deleted");
    expect(service.asked.length).toBe(2);
  });

  test("speakers are named as the transcriber names them; without names there is one unnamed speaker", async () => {
    const { settings, importIt, db } = await openWith((_, number) => (number === 1 ? DIARIZED : SPOKEN));
    const dated = await writeRecording("2026-03-01 two.wav", createWav(0.1));
    expect(await importIt(dated)).toMatchObject({ code: 0 });
    expect((await importIt(dated)).stdout).toBe("0 imported, 1 already there, 0 failed\n");
    expect(await importIt(await writeRecording("one.wav", createWav(0.2)))).toMatchObject({ code: 0 });
    const byTitle = new Map((await list(settings)).map(({ id, title }) => [title, id]));
    const speakers = await db.select().from(schema.participants).orderBy(schema.participants.position);
    const listNames = (title: string) =>
      speakers.filter(({ meetingId }) => meetingId === byTitle.get(title)).map(({ name }) => name);
    expect(listNames("two")).toEqual(["SPEAKER_00", "SPEAKER_01"]);
    expect(listNames("one")).toEqual(["Unknown speaker"]);
  });

  test("the summarizer follows: the meeting appears with its summary, and the credit is charged once", async () => {
    const summariser = { SUMMARISER_URL: "http://127.0.0.1:9/v1", SUMMARISER_MODEL: "small" };
    const { db, settings, importIt } = await openWith(undefined, summariser);
    const file = await writeRecording();
    const first = await importIt(file, "--share");
    expect([first.code, first.stdout]).toEqual([0, "1 imported, 0 already there, 0 failed\n"]);
    expect(first.stderr).toContain(
      "1 imported meeting appears when a running server has written the summary. Then import again with --share",
    );
    expect(first.stderr).toContain("1 meeting has no confirmed address of another member");
    expect(await list(settings)).toEqual([]);
    const again = JSON.parse((await importIt(file, "--json")).stdout);
    expect(again).toMatchObject({ created: 0, unchanged: 1 });
    const worker = startRecordingWorker({
      ...{ db, recordingDays: 30, interval: 50 },
      summariser: async () => ({
        summary: { markdown: "They call the supplier." },
      }),
    });
    onTestFinished(worker.stop);
    await expect.poll(() => list(settings)).toHaveLength(1);
    const [{ id } = { id: "" }] = await list(settings);
    expect(await minutesJson(["meetings", "get", id], settings)).toMatchObject({
      summary: { markdown: "They call the supplier." },
    });
    expect(await db.select().from(schema.creditCharges)).toHaveLength(1);
  });

  test("refused without a request: what is not a whole recording, or too large, or without a transcriber or owner", async () => {
    const { service, settings, importIt } = await openWith();
    const wav = createWav(0.2);
    const large = await writeRecording("large.mp3", Buffer.alloc(0));
    const grown = await open(large, "r+");
    await grown.truncate(25 * 1024 * 1024 + 1);
    await grown.close();
    const notAudio = "The content is not audio in a known format. Use MP3, WAV, M4A, Ogg, FLAC or WebM.";
    for (const [file, error] of [
      [await writeRecording("empty.mp3", Buffer.alloc(0)), "The file is empty."],
      [await writeRecording("page.mp3", Buffer.from("<!doctype html>")), notAudio],
      [await writeRecording("list.ogg", Buffer.from("#EXTM3U\nhttp://10.0.0.1/a.ts\n")), notAudio],
      [await writeRecording("talk.m4a", Buffer.from("Anna: Hello.\n")), notAudio],
      [
        await writeRecording("cut.wav", wav.subarray(0, -100)),
        "The recording is cut off: its end or its index is missing. Export or copy it again.",
      ],
      [
        large,
        "The recording is larger than 25 MB. Compress it, for example to MP3 with 64 kbit/s, or split it. Longer ones need ffmpeg and prlimit here (Debian: ffmpeg, util-linux).",
      ],
    ] as const) {
      const { code, stdout } = await importIt(file, "--json");
      expect([code, JSON.parse(stdout)]).toMatchObject([1, { created: 0, failed: [{ file, error }] }]);
    }
    const file = await writeRecording("notes.txt", wav);
    const ownerless = await minutes(["import", file], settings);
    expect(ownerless.stderr).toContain("use --owner to set one for all meetings");
    expect(await importIt(file, "--time-zone", "Mars/Base")).toMatchObject({ code: 1 });
    const { DATA_DIR } = settings;
    const without = await minutes(["import", file, "--owner", OWNER], { DATA_DIR });
    expect([without.code, without.stderr]).toEqual([
      1,
      expect.stringContaining(
        "notes.txt: Audio needs a transcriber: run `minutes transcriber use whisper-base`, or set TRANSCRIBER_URL and TRANSCRIBER_MODEL (docs/audio.md).\n",
      ),
    ]);
    expect(service.asked).toEqual([]);
    expect(await list(settings)).toEqual([]);
  });

  test("a failure of the transcriber is told in one sentence without content, and the other files are imported", async () => {
    const { settings, importIt } = await openWith((response, number) => {
      if (number === 2) return SPOKEN;
      response
        .writeHead(number === 1 ? 401 : 200)
        .end(number === 1 ? "secret words" : '{"text":"secret words"}');
    });
    const first = await writeRecording("one.wav", createWav(0.1));
    const second = await writeRecording("two.wav", createWav(0.2));
    const { code, stdout, stderr } = await importIt(first, second);
    expect([code, stdout.trim().split("\n").at(-1)]).toEqual([1, "1 imported, 0 already there, 1 failed"]);
    expect(stderr).toContain("one.wav: The transcriber refuses the key (401). Check TRANSCRIBER_KEY.\n");
    const third = await importIt(first);
    expect(third.stderr).toContain("one.wav: The transcriber's answer has no segments with times");
    for (const secret of ["secret words", KEY]) expect(stdout + stderr + third.stderr).not.toContain(secret);
    expect((await list(settings)).map(({ title }) => title)).toEqual(["two"]);
  });

  test("a recording without speech is refused", async () => {
    const { settings, importIt } = await openWith(() => ({ text: "", segments: [] }));
    const { code, stderr } = await importIt(await writeRecording());
    expect([code, stderr]).toEqual([1, expect.stringContaining("call.wav: The transcriber heard no speech")]);
    expect(await list(settings)).toEqual([]);
  });

  test("--dry-run sends nothing, and a folder's recordings are skipped and named", async () => {
    const service = await startTranscriber();
    const settings = connect(service.url);
    const file = await writeRecording();
    const dryRun = ["--owner", OWNER, "--dry-run"];
    const one = await minutes(["import", file, ...dryRun], settings);
    expect([one.code, one.stdout]).toEqual([
      0,
      expect.stringContaining("a recording, transcribed when it is imported"),
    ]);
    await writeFile(join(dirname(file), "call.txt"), "Anna: Hello.\nBen: Hi.\nAnna: Bye.\n");
    const folder = await minutes(["import", dirname(file), ...dryRun], settings);
    expect([folder.code, folder.stdout]).toEqual([0, expect.stringContaining("1 valid, 0 failed")]);
    expect(folder.stderr).toMatch(
      /^1 recording skipped; import recordings by name or pattern: \S+call\.wav$/m,
    );
    expect(service.asked).toEqual([]);
  });

  test("killed while it waits for the transcriber: no meeting and no audio is left, and a repeat imports it", async () => {
    const service = await startTranscriber((_, number) => (number === 1 ? undefined : SPOKEN));
    const [TMPDIR, DATA_DIR] = [await temporaryDir(), await emptyDataDir()];
    const settings = { DATA_DIR, ...connect(service.url) };
    await minutesJson(["users", "create", OWNER], settings);
    const file = await writeRecording();
    const command = ["import", file, "--owner", OWNER];
    const killed = launchMinutes(command, { ...settings, TMPDIR });
    await expect.poll(() => service.asked.length).toBe(1);
    killed.child.kill("SIGKILL");
    await killed.ended;
    expect(await findBytes([TMPDIR, DATA_DIR], createWav(0.2).subarray(44, 144))).toEqual([]);
    expect(await list(settings)).toEqual([]);
    expect(await minutes(command, settings)).toMatchObject({ code: 0 });
    expect(await list(settings)).toHaveLength(1);
    expect(await findBytes([TMPDIR, DATA_DIR], createWav(0.2).subarray(44, 144))).toEqual([]);
  });
});

/** Finds the files below folders that contain some bytes. */
async function findBytes(folders: readonly string[], bytes: Buffer): Promise<string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && (await readFile(file)).includes(bytes)) found.push(file);
    }
  }
  return found;
}

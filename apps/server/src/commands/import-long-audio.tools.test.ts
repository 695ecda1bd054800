import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { schema } from "@minutes/db";
import { findProgram, needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { createUploader } from "../testing/audio-uploads.js";
import { answerChannel, SAID_ONCE, speakDialog, toWav } from "../testing/dialog.js";
import { minutesJson, runHere } from "../testing/installation.js";
import { OWNER, openForTest } from "../testing/meeting-files.js";
import { emptyDataDir, launchMinutes, startProcess, temporaryDir } from "../testing/process.js";
import { createWav, SPOKEN, startTranscriber } from "../testing/transcriber.js";

type Answer = Parameters<typeof startTranscriber>[0];

/** Length in seconds of a WAV file that the transcriber doesn't take whole. It has three parts. */
const LONG = 1_700;
/** Length in seconds of a call whose WAV it doesn't take whole either. */
const CALL = 300;

/** Starts a transcriber. @returns settings for it */
async function connect(DATA_DIR: string, answer: Answer) {
  const service = await startTranscriber(answer);
  const transcriber = { TRANSCRIBER_URL: service.url, TRANSCRIBER_MODEL: "whisper-1" };
  return { service, settings: { DATA_DIR, PATH: process.env.PATH ?? "", DEMO: "off", ...transcriber } };
}

async function openWith(answer: Answer) {
  const { DATA_DIR, db } = await openForTest();
  const { service, settings } = await connect(DATA_DIR, answer);
  await minutesJson(["users", "create", OWNER], settings);
  const folder = await temporaryDir();
  const file = join(folder, "Workshop 2026-03-01.wav");
  await writeFile(file, createWav(LONG));
  return { service, settings, db, folder, file, kept: join(DATA_DIR, "imports") };
}

describe("a recording above the transcriber's limit", needs("embedded", "ffmpeg", "prlimit"), () => {
  test("is imported from a watched folder in parts, each transcribed once also if one fails; an import changes nothing", async () => {
    const { service, settings, db, folder, file, kept } = await openWith((response, number) => {
      if (number !== 2) return SPOKEN;
      response.writeHead(500).end();
      return undefined;
    });
    const watch = ["watch", folder, "--owner", OWNER, "--once", "--every", "1"];
    const { code, stdout, stderr } = await runHere(watch, settings);
    expect([code, stdout]).toEqual([0, "Workshop 2026-03-01.wav: 1 imported, 0 already there, 0 failed\n"]);
    expect(stderr).toContain("Workshop 2026-03-01.wav: transcribing, 66 %\n");
    expect(service.asked.map(({ file: sent }) => sent?.name)).toEqual(Array(4).fill("recording.mp3"));
    const sent = service.asked.map(({ file: part }) => Buffer.from(part?.bytes ?? []).toString("base64"));
    expect(new Set(sent).size).toBe(3);
    const turns = await db.select().from(schema.transcriptSegments);
    expect(Math.max(...turns.map(({ startSeconds }) => startSeconds ?? 0))).toBeGreaterThan(1_200);
    const again = await runHere(["import", file, "--owner", OWNER], settings);
    expect(again.stdout).toBe("0 imported, 1 already there, 0 failed\n");
    expect([service.asked.length, await readdir(kept)]).toEqual([4, []]);
  });

  test("killed or failed, the next import goes on; what is kept until then can't be read", async () => {
    let isRefusing = true;
    const { service, settings, db, file, kept } = await openWith((response, number) => {
      if (number === 1 || !isRefusing) return SPOKEN;
      if (number > 3) response.writeHead(401).end();
      return undefined;
    });
    const command = ["import", file, "--owner", OWNER];
    const killed = launchMinutes(command, settings);
    // The first part was heard when the third one is sent.
    await expect.poll(() => service.asked.length).toBe(3);
    killed.child.kill("SIGKILL");
    await killed.ended;
    const names = await readdir(kept);
    expect(names.filter((name) => name.includes(".answer-"))).toHaveLength(1);
    const contents = await Promise.all(names.map((name) => readFile(join(kept, name), "latin1")));
    for (const content of contents) expect(content).not.toContain("turbines");

    const failed = await runHere(command, settings);
    expect([failed.code, failed.stderr]).toEqual([1, expect.stringContaining("Check TRANSCRIBER_KEY")]);
    // One or two requests: the refusal of the first can keep the second from being sent.
    const refused = service.asked.length;
    isRefusing = false;
    expect((await runHere(command, settings)).stdout).toBe("1 imported, 0 already there, 0 failed\n");
    const heard = [service.asked[0], ...service.asked.slice(refused)];
    expect(new Set(heard.map((one) => Buffer.from(one?.file?.bytes ?? []).toString("base64"))).size).toBe(3);
    expect(heard).toHaveLength(3);
    expect(await db.select().from(schema.creditCharges)).toHaveLength(1);
    expect(await readdir(kept)).toEqual([]);
  });

  test("is refused above 2 GB, and if it is cut off", async () => {
    const { service, settings, file } = await openWith(() => SPOKEN);
    await truncate(file, 27_000_000);
    const importIt = () => runHere(["import", file, "--owner", OWNER], settings);
    expect((await importIt()).stderr).toContain("The recording is cut off");
    await truncate(file, 2_100_000_000);
    expect((await importIt()).stderr).toContain("The recording is larger than 2 GB.");
    expect(service.asked).toEqual([]);
  });
});

interface Turn {
  readonly speakerName: string;
  readonly text: string;
  readonly startSeconds: number;
}

describe("a call of five minutes", needs("embedded", "ffmpeg", "prlimit", "espeak-ng"), () => {
  test("becomes a searchable meeting with two speakers by command, watched folder and API", async () => {
    const dialog = speakDialog(CALL);
    const { settings, service } = await connect(await emptyDataDir(), (_, __, { file }) =>
      answerChannel(dialog, file?.bytes ?? new Uint8Array()),
    );
    const { url } = await startProcess(settings);
    await minutesJson(["workspaces", "create", "Acme", "--plan", "team"], settings);
    const folder = await temporaryDir();
    const [wav, inbox] = [join(folder, "Call 2026-03-01.wav"), join(folder, "inbox")];
    await writeFile(
      wav,
      toWav(dialog, [
        [1, 0],
        [0, 1],
      ]),
    );
    await mkdir(inbox);
    const mp3 = join(inbox, "Call 2026-03-01.mp3");
    execFileSync(findProgram("ffmpeg") ?? "", ["-loglevel", "error", "-i", wav, mp3]);

    const ways: Record<string, (owner: string, key: string) => Promise<unknown>> = {
      command: (owner) => minutesJson(["import", wav, "--owner", owner], settings),
      folder: (owner) => minutesJson(["watch", inbox, "--owner", owner, "--once", "--every", "1"], settings),
      api: async (_, key) => {
        const uploader = createUploader(url, key);
        const content = await readFile(mp3);
        const path = await uploader.begin(content.length, { filename: "Call 2026-03-01.mp3" });
        expect((await uploader.patch(path, 0, content)).status).toBe(204);
      },
    };
    for (const [way, take] of Object.entries(ways)) {
      const owner = `${way}@example.com`;
      await minutesJson(["users", "create", owner, "--workspace", "Acme"], settings);
      const { key } = await minutesJson<{ key: string }>(["keys", "create", owner], settings);
      await take(owner, key);
      const get = async <Answer>(path: string) => {
        const response = await fetch(`${url}/rest/v1/me/${path}`, { headers: { "x-api-key": key } });
        expect(response.status, path).toBe(200);
        return (await response.json()) as Answer;
      };
      const list = async () =>
        (await get<{ meetings: { id: string; title: string }[] }>("meetings")).meetings;
      await expect
        .poll(async () => (await list()).map(({ title }) => title), { interval: 1_000 })
        .toEqual(["Call"]);
      const [{ id } = { id: "" }] = await list();
      const { segments } = await get<{ segments: Turn[] }>(`meetings/${id}/transcript`);
      expect(segments.map(({ speakerName }) => speakerName)).toEqual(
        dialog.spoken.map(({ speaker }) => `Speaker ${speaker + 1}`),
      );
      for (const [at, { from }] of dialog.spoken.entries())
        expect(segments[at]?.startSeconds).toBeCloseTo(from, 1);
      const { results } = await get<{ results: { text: string }[] }>(
        "search?q=carpenter&startDate=2026-01-01",
      );
      expect(results[0]?.text).toContain(`Speaker 2: ${SAID_ONCE.text}`);
      expect(service.asked.splice(0)).toHaveLength(2);
    }
  });
});

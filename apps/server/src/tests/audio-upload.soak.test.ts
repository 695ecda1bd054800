import { readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { LIMITS } from "@minutes/contract";
import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { createUploader } from "../testing/audio-uploads.js";
import { minutesJson } from "../testing/installation.js";
import { emptyDataDir, startProcess } from "../testing/process.js";
import { createWav } from "../testing/transcriber.js";

/** Maximum growth of the server's memory in MB while it receives a recording of 2 GB. */
const GROWTH = 60;
const OWNER = "anna@example.com";
const CHUNK = Buffer.alloc(65_536);

/** Bytes of a request, as the client sends of so long a recording. */
const PART = 100_000_000;

/** Yields a range of a WAV file of silence. */
function* writeWav(size: number, from: number, to: number): Generator<Buffer> {
  const head = createWav(0).subarray(0, 44);
  head.writeUInt32LE(size - 8, 4);
  head.writeUInt32LE(size - 44, 40);
  if (from === 0) yield head;
  for (let at = from === 0 ? 44 : from; at < to; at += CHUNK.length) yield CHUNK.subarray(0, to - at);
}

/** Sends a recording, as fast as the server takes it. */
async function send(url: URL, key: string, size: number): Promise<void> {
  for (let from = 0; from < size; from += PART) {
    const to = Math.min(size, from + PART);
    const request = http.request(url, {
      method: "PATCH",
      headers: {
        ...{ "x-api-key": key, "tus-resumable": "1.0.0", "upload-offset": String(from) },
        ...{ "content-type": "application/offset+octet-stream", "content-length": String(to - from) },
      },
    });
    const answered = new Promise<number | undefined>((resolve, reject) => {
      request.once("error", reject).once("response", (response) => {
        response.resume();
        resolve(response.statusCode);
      });
    });
    await pipeline(Readable.from(writeWav(size, from, to)), request);
    expect(await answered).toBe(204);
  }
}

/** Asks for `/health` one after another until it is stopped. @returns how long each answer took, in ms, ascending */
function watchHealth(url: string) {
  const latencies: number[] = [];
  let stopped = false;
  const watch = async () => {
    while (!stopped) {
      const asked = performance.now();
      const { status } = await fetch(new URL("/health", url));
      expect(status).toBe(200);
      latencies.push(performance.now() - asked);
      await new Promise((done) => setTimeout(done, 20));
    }
  };
  const watching = watch();
  return async () => {
    stopped = true;
    await watching;
    return latencies.sort((one, other) => one - other);
  };
}

describe("an upload of 2 GB", needs("embedded", "ffmpeg", "prlimit"), () => {
  test(`adds at most ${GROWTH} MB of memory; the latency of /health is printed`, async () => {
    const settings = {
      ...{ DATA_DIR: await emptyDataDir(), DEMO: "off", TRANSCRIBER_MODEL: "whisper-1" },
      TRANSCRIBER_URL: "http://127.0.0.1:9/v1",
    };
    await minutesJson(["workspaces", "create", "Company", "--plan", "team"], settings);
    await minutesJson(["users", "create", OWNER, "--workspace", "Company"], settings);
    const { key } = await minutesJson<{ key: string }>(["keys", "create", OWNER], settings);
    const server = await startProcess(settings);
    const uploader = createUploader(server.url, key);
    const upload = async (size: number) => {
      const path = await uploader.begin(size, { filename: "call.wav" });
      const began = performance.now();
      await send(new URL(path, server.url), key, size);
      const seconds = (performance.now() - began) / 1_000;
      await uploader.remove(path);
      return seconds;
    };
    const readMemory = (field: "VmRSS" | "VmHWM") =>
      Number(
        new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1],
      ) / 1_024;
    await upload(20_000_000);
    const before = readMemory("VmRSS");
    // The peak since the start was that of opening the database.
    writeFileSync(`/proc/${server.child.pid}/clear_refs`, "5");
    const idle = watchHealth(server.url);
    await new Promise((done) => setTimeout(done, 3_000));
    const calm = await idle();
    const stop = watchHealth(server.url);
    const seconds = await upload(LIMITS.longAudioBytes);
    const latencies = await stop();
    const growth = readMemory("VmHWM") - before;
    const at = (list: readonly number[], share: number) =>
      `${(list[Math.floor(share * (list.length - 1))] ?? 0).toFixed(1)} ms`;
    console.log(
      `2 GB in ${seconds.toFixed(0)} s, memory +${growth.toFixed(0)} MB to ${readMemory("VmHWM").toFixed(0)} MB; /health of ${latencies.length}: ` +
        `median ${at(latencies, 0.5)}, 99 % ${at(latencies, 0.99)}, maximum ${at(latencies, 1)} (idle: median ${at(calm, 0.5)}, maximum ${at(calm, 1)})`,
    );
    expect(growth).toBeLessThan(GROWTH);
  }, 1_200_000);
});

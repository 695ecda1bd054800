import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connectEmbedded, schema } from "@minutes/db";
import { emptyDataDir } from "@minutes/testing";
import { expect } from "vitest";
import { createUploader } from "./audio-uploads.js";
import { minutesJson } from "./installation.js";
import { callsTo } from "./killable-server.js";
import { startProcess } from "./process.js";
import { createWav, SPOKEN, startTranscriber } from "./transcriber.js";

const OWNER = "anna@example.com";

/** Sends a recording until a server has all of it, however often it is cut off. */
export async function sendAll(
  uploader: ReturnType<typeof createUploader>,
  path: string,
  wav: Buffer,
): Promise<void> {
  for (;;) {
    const offset = Number((await uploader.head(path)).headers.get("upload-offset"));
    if (offset === wav.length) return;
    // 409: the request that was cut off still has its lease.
    const { status } = await uploader.patch(path, offset, wav.subarray(offset));
    if (status === 409) await sleep(100);
    else expect(status).toBe(204);
  }
}

/** Sends audio slowly, and without end, until the connection is cut. */
async function* drip(wav: Buffer, from: number): AsyncGenerator<Buffer> {
  for (let at = from; at < wav.length - 100_000; at += 50_000) {
    yield wav.subarray(at, at + 50_000);
    await sleep(5);
  }
  await new Promise(() => {});
}

/**
 * Uploads recordings to a server process, killed once while each is uploaded, after some of it is durable, and once while it is
 * transcribed. Checks that each becomes one meeting, is charged once, and leaves no audio.
 */
export async function killDuringUploads(times: number): Promise<void> {
  // Every second request hangs until its sender is killed.
  const transcriber = await startTranscriber((_, number) => (number % 2 === 1 ? undefined : SPOKEN));
  const dataDir = await emptyDataDir();
  const settings = {
    ...{ DATA_DIR: dataDir, DEMO: "off", RATE_LIMIT_PER_MINUTE: "1000000" },
    ...{ TRANSCRIBER_URL: transcriber.url, TRANSCRIBER_MODEL: "whisper-1" },
  };
  await minutesJson(["workspaces", "create", "Company", "--plan", "team"], settings);
  await minutesJson(["users", "create", OWNER, "--workspace", "Company"], settings);
  const { key } = await minutesJson<{ key: string }>(["keys", "create", OWNER], settings);
  for (let round = 0; round < times; round++) {
    const wav = createWav(60 + round / 10);
    let server = await startProcess(settings);
    const first = createUploader(server.url, key);
    const path = await first.begin(wav.length, { filename: `call ${round}.wav` });
    const cut = fetch(new URL(path, server.url), {
      method: "PATCH",
      headers: {
        ...{ "x-api-key": key, "tus-resumable": "1.0.0", "upload-offset": "0" },
        "content-type": "application/offset+octet-stream",
      },
      body: drip(wav, 0),
      duplex: "half",
    } as RequestInit).catch(() => null);
    const received = async (uploader = first) =>
      Number((await uploader.head(path)).headers.get("upload-offset"));
    await expect.poll(received).toBeGreaterThan(0);
    await sleep(Math.random() * 50);
    await server.stop("SIGKILL");
    await cut;

    server = await startProcess(settings);
    const second = createUploader(server.url, key);
    expect(await received(second)).toBeGreaterThan(0);
    await sendAll(second, path, wav);
    await expect.poll(() => transcriber.asked.length).toBe(2 * round + 1);
    await server.stop("SIGKILL");

    server = await startProcess(settings);
    const done = async () =>
      (await callsTo(server.url).data(key, "me/meetings.list", { limit: 100 })).meetings.length;
    await expect.poll(done, { interval: 500 }).toBe(round + 1);
    await expect.poll(() => readdir(join(dataDir, "audio"))).toEqual([]);
    await server.stop();
    expect(Buffer.from(transcriber.asked.at(-1)?.file?.bytes ?? []).equals(wav)).toBe(true);
  }
  expect(transcriber.asked).toHaveLength(2 * times);
  const { db, close } = await connectEmbedded({ dataDir });
  const charges = await db.select().from(schema.creditCharges);
  await close();
  expect(charges).toHaveLength(times);
}

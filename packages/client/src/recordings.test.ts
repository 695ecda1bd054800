import { createWav, startAudioServer } from "@minutes/server/testing";
import { expect, test } from "vitest";
import { createRecordings, UploadError } from "./recordings.js";

/** A recording of 3 MB, which takes three requests. */
const LONG = new File([new Uint8Array(createWav(180))], "Turbines 2026-03-01.wav", {
  lastModified: 1_772_000_000_000,
});

/** Starts a server with a transcriber, and a client of a person whose requests a test can cut. */
async function start(
  cut: (request: { method: string; offset: number }) => boolean = () => false,
  options: Parameters<typeof startAudioServer>[0] = {},
) {
  const { server, transcriber } = await startAudioServer(options);
  const company = await server.given.company();
  const { admin } = company;
  const offsets: number[] = [];
  const recordings = createRecordings({
    baseUrl: server.url,
    apiKey: admin.key,
    fetch: async (url, init) => {
      const offset = Number(new Headers(init?.headers).get("upload-offset") ?? -1);
      if (cut({ method: init?.method ?? "", offset })) throw new TypeError("fetch failed");
      if (offset >= 0) offsets.push(offset);
      return fetch(url, init);
    },
  });
  const list = async () => {
    const answer = await fetch(`${server.url}/rest/v1/me/transcriptions`, {
      headers: { "x-api-key": admin.key },
    });
    return ((await answer.json()) as { transcriptions: object[] }).transcriptions;
  };
  return { server, company, key: admin.key, transcriber, recordings, offsets, list };
}

/** Aborts an upload of `LONG` after its first part. @returns its ID */
async function interrupt(recordings: ReturnType<typeof createRecordings>): Promise<string> {
  const stop = new AbortController();
  let id = "";
  const aborted = recordings.upload(LONG, {
    signal: stop.signal,
    onCreated: (created) => {
      id = created;
    },
    onProgress: (received) => received > 0 && stop.abort(new Error("enough")),
  });
  await expect(aborted).rejects.toThrow("enough");
  return id;
}

test("uploads a recording with progress, and continues after a cut connection", async () => {
  let cuts = 0;
  const { recordings, offsets, list, transcriber } = await start(({ offset }) => offset > 0 && cuts++ === 0);
  const progress: number[] = [];
  const { id } = await recordings.upload(LONG, { onProgress: (received) => progress.push(received) });
  expect(cuts).toBeGreaterThan(1);
  expect(offsets).toEqual([0, 1_048_576, 2_097_152]);
  expect(progress.at(-1)).toBe(LONG.size);
  await expect.poll(list).toMatchObject([{ id, state: "completed" }]);
  expect(transcriber.asked.map(({ file }) => file?.bytes.length)).toEqual([LONG.size]);
});

test("an aborted upload rejects with the reason, and `resume` continues it", async () => {
  const { recordings, offsets, list } = await start();
  const id = await interrupt(recordings);
  expect(await recordings.upload(LONG, { resume: id })).toEqual({ id });
  expect(offsets.filter((offset) => offset === 0)).toEqual([0]);
  await expect.poll(list).toMatchObject([{ id, state: "completed" }]);
});

test("a name with folders is the file's, also when the upload is resumed", async () => {
  const { recordings, list } = await start();
  const name = " calls/2026/turbines.wav ";
  const { id } = await recordings.upload(LONG, { name });
  expect(await recordings.upload(LONG, { name, resume: id })).toEqual({ id });
  expect(await list()).toMatchObject([{ id }]);
});

test("another file does not continue an upload: of another size, name or time", async () => {
  const { recordings, list } = await start();
  const id = await interrupt(recordings);
  const { name, lastModified } = LONG;
  for (const other of [
    new File([LONG.slice(0, -1)], name, { lastModified }),
    new File([LONG], "other.wav", { lastModified }),
    new File([LONG], name, { lastModified: lastModified + 1 }),
    LONG.slice(1),
  ])
    await expect(recordings.upload(other, { resume: id })).rejects.toThrow("another file");
  // The bytes alone, without a name, continue.
  expect(await recordings.upload(LONG.slice(), { resume: id })).toEqual({ id });
  await expect.poll(list).toMatchObject([{ id, state: "completed" }]);
});

test("404: an upload that is gone says so; the key can come from a function", async () => {
  const { recordings, server, key } = await start();
  await expect(recordings.upload(LONG, { resume: "trn_gone" })).rejects.toThrow("without `resume`");
  const later = createRecordings({ baseUrl: server.url, apiKey: async () => key });
  await expect(later.upload(LONG, { resume: "trn_gone" })).rejects.toMatchObject({ status: 404 });
});

test("a request that is never answered ends after the timeout, and is repeated", async () => {
  let asked = 0;
  const silentOnce: typeof fetch = async (_url, init) =>
    asked++ > 0
      ? Response.json({ id: "trn_1", state: "failed", failure: "No speech." })
      : new Promise((_, reject) =>
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason)),
        );
  const recordings = createRecordings({
    ...{ baseUrl: "https://minutes.test", apiKey: "jk_x", fetch: silentOnce, timeout: 1 },
  });
  expect(await recordings.get("trn_1")).toMatchObject({ state: "failed" });
});

test("401: a key that no header can carry, or that is undefined, is not sent", async () => {
  for (const apiKey of ["jk_…", undefined as never]) {
    const recordings = createRecordings({
      baseUrl: "https://minutes.test",
      apiKey,
      fetch: () => expect.fail(),
    });
    await expect(recordings.get("trn_1")).rejects.toMatchObject({ name: "UploadError", status: 401 });
  }
});

test("a refusal has the service's sentence and status, and is not repeated", async () => {
  let requests = 0;
  const { recordings } = await start(({ method }) => method === "POST" && requests++ > 0);
  const refused = await recordings.upload(new Blob([])).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(UploadError);
  expect(refused).toMatchObject({ status: 400, message: "The file is empty." });
  expect(requests).toBe(1);
});

test("`wait` follows an upload until it is a meeting, through a lost connection; `get` reads it, also with an ingest key", async () => {
  let reads = 0;
  const { server, company, recordings, key } = await start(({ method }) => method === "GET" && ++reads === 1);
  const { id } = await recordings.upload(LONG);
  const seen: string[] = [];
  const ended = await recordings.wait(id, { onProgress: ({ state }) => seen.push(state) });
  expect(ended).toMatchObject({ id, state: "completed", meetingId: expect.stringMatching(/^mtg_/) });
  expect(seen.at(-1)).toBe("completed");
  expect(reads).toBeGreaterThan(1);

  const ingestKey = await server.given.ingestKey(company);
  const recorder = createRecordings({ baseUrl: `${server.url}/`, apiKey: async () => ingestKey });
  const sent = await recorder.upload(LONG, { ownerEmail: company.admin.email });
  expect(await recorder.wait(sent.id)).toMatchObject({ state: "completed", title: null });
  const user = createRecordings({ baseUrl: server.url, apiKey: key });
  expect(await user.get(sent.id)).toMatchObject({ id: sent.id, state: "completed" });
  await expect(recorder.get(id)).rejects.toMatchObject({ name: "UploadError", status: 404 });
});

test("`wait` returns a recording that failed with the reason", async () => {
  const { recordings } = await start(undefined, { answer: () => ({ segments: [] }) });
  const { id } = await recordings.upload(LONG);
  const ended = await recordings.wait(id);
  if (ended.state !== "failed") throw new Error(ended.state);
  expect(ended.failure).toContain("no speech");
});

test("`wait` ends with its signal's reason, also during a pause", async () => {
  const { recordings } = await start(undefined, { answer: () => undefined });
  const { id } = await recordings.upload(LONG);
  const stop = new AbortController();
  const waiting = recordings.wait(id, {
    signal: stop.signal,
    onProgress: () => stop.abort(new Error("enough")),
  });
  await expect(waiting).rejects.toThrow("enough");
});

test.each([
  ["localhost:3000", 'baseUrl must begin with https:// or http://, and "localhost:3000" does not.'],
  ["", 'baseUrl must begin with https:// or http://, and "" does not.'],
  ["https://minutes.test/v1", "baseUrl must not contain the version: leave out /v1 and what follows it."],
])("a base address that can't be one is refused at once: %j", (baseUrl, message) => {
  expect(() => createRecordings({ baseUrl, apiKey: "jk_test" })).toThrow(new TypeError(message));
});

test("an ID that would lead to another resource, and an answer of something else, are refused", async () => {
  const fetch = async () => Response.json({ ok: true });
  const recordings = createRecordings({ baseUrl: "https://minutes.test", apiKey: "jk_test", fetch });
  for (const id of ["", ".", ".."]) await expect(recordings.get(id)).rejects.toThrow(TypeError);
  await expect(recordings.wait("trn_1")).rejects.toThrow("not from Minutes");
});

import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { LIMITS, MESSAGES, TRANSCRIPTION_FAILURES } from "@minutes/contract";
import {
  leaveWorkspace,
  OPERATOR,
  purgeExpired,
  regenerateKey,
  type SummaryQueue,
  startRecordingWorker,
} from "@minutes/core";
import { removeOrphans } from "@minutes/core/transcriptions";
import { schema } from "@minutes/db";
import { createPersonalKey, openSignedInBrowser, readPayload } from "@minutes/testing";
import { asc, eq, inArray, sql } from "drizzle-orm";
import { Upload } from "tus-js-client";
import { describe, expect, test } from "vitest";
import { createUploader, startAudioServer } from "../../testing/audio-uploads.js";
import { createWav, SPOKEN, startTestServer } from "../../testing/index.js";

const { transcriptions } = schema;
const WAV = createWav(0.2);
type AudioServer = Awaited<ReturnType<typeof startAudioServer>>;

const listJobs = ({ server }: Pick<AudioServer, "server">) =>
  server.db.select().from(transcriptions).orderBy(asc(transcriptions.createdAt));
const readAnswer = async (response: Response) => [response.status, await response.json()];
async function readList({ url }: AudioServer["server"], key: string): Promise<unknown> {
  const answer = await fetch(`${url}/rest/v1/me/transcriptions`, { headers: { "x-api-key": key } });
  return ((await answer.json()) as { transcriptions: unknown }).transcriptions;
}
const refused = (status: number, error: string) => [status, { error }];

/** Returns the places of the transcribed recordings, which differ in length, in the order of their transcription. */
const readOrder = ({ asked }: AudioServer["transcriber"], recordings: readonly Buffer[]) =>
  asked.map(({ file }) => recordings.findIndex(({ length }) => length === file?.bytes.length));

/** Waits until all jobs have ended. */
async function waitForJobs(where: AudioServer, states: readonly string[]) {
  await expect.poll(async () => (await listJobs(where)).map(({ state }) => state)).toEqual(states);
  return listJobs(where);
}

/** Transcribes what waits with a new worker, which then stops. */
async function transcribeAll(where: AudioServer, states: readonly string[]) {
  const worker = await where.start();
  await waitForJobs(where, states).finally(() => worker.stop());
}

async function startWithPerson(...options: Parameters<typeof startAudioServer>) {
  const started = await startAudioServer(...options);
  const company = await started.server.given.company();
  const anna = await started.server.given.member(company);
  return { ...started, company, anna, client: createUploader(started.server.url, anna.key) };
}

describe("an upload of audio", () => {
  test("becomes a meeting of the caller, sent by the usual client; then no audio is left", async () => {
    const started = await startWithPerson();
    const { server, anna, transcriber, directory } = started;
    const wav = createWav(40);
    const progress: number[] = [];
    await new Promise<void>((resolve, reject) => {
      const upload = new Upload(wav, {
        endpoint: `${server.url}/audio/v1/uploads`,
        headers: { "x-api-key": anna.key },
        chunkSize: 300_000,
        retryDelays: [100, 1_000],
        metadata: { filename: "Turbines 2026-03-01.wav", filetype: "audio/wav" },
        onProgress: (sent) => progress.push(sent),
        onSuccess: () => resolve(),
        onError: reject,
      });
      upload.start();
    });
    const [job] = await waitForJobs(started, ["completed"]);
    expect(job).toMatchObject({ name: null, fileKey: null, failure: null, attempts: 1, size: wav.length });
    expect(
      transcriber.asked.map(({ file }) => [file?.name, file && Buffer.from(file.bytes).equals(wav)]),
    ).toEqual([["recording.wav", true]]);
    const meeting = await server.data(anna.key, "me/meetings.get", { meetingId: job?.meetingId ?? "" });
    expect(meeting).toMatchObject({ title: "Turbines", startTime: "2026-03-01T00:00:00.000Z" });
    await expect.poll(() => readdir(directory)).toEqual([]);
    expect(await server.db.select().from(schema.creditCharges)).toHaveLength(1);
  });

  test("the same recording twice is one meeting, one transcription and one charge", async () => {
    const started = await startWithPerson();
    const { server, client, transcriber } = started;
    for (const name of ["first.wav", "second.wav"])
      expect((await client.patch(await client.begin(WAV.length, { filename: name }), 0, WAV)).status).toBe(
        204,
      );
    const [first, second] = await waitForJobs(started, ["completed", "completed"]);
    expect(second?.meetingId).toBe(first?.meetingId);
    expect(transcriber.asked).toHaveLength(1);
    expect(await server.db.select().from(schema.creditCharges)).toHaveLength(1);
  });

  test("by a recorder it is the named member's, by a signed-in user their own", async () => {
    const started = await startWithPerson();
    const { server, company, anna } = started;
    const recorder = createUploader(server.url, await server.given.ingestKey(company));
    const path = await recorder.begin(WAV.length, { filename: "a.wav", ownerEmail: anna.email });
    expect(await readAnswer(await recorder.create(1, { ownerEmail: "nobody@example.com" }))).toEqual(
      refused(404, MESSAGES.ownerNotFound),
    );
    expect(await readAnswer(await recorder.create(1))).toEqual(refused(400, MESSAGES.uploadOwnerMissing));
    expect(await readAnswer(await started.client.create(1, { ownerEmail: anna.email }))).toEqual(
      refused(400, MESSAGES.uploadOwnerGiven),
    );
    expect((await recorder.patch(path, 0, WAV)).status).toBe(204);
    const browser = await openSignedInBrowser(server, anna);
    const session = createUploader(server.url, {
      cookie: browser.cookie,
      "sec-fetch-site": "same-origin",
    });
    const other = createWav(0.3);
    expect((await session.patch(await session.begin(other.length), 0, other)).status).toBe(204);
    const jobs = await waitForJobs(started, ["completed", "completed"]);
    for (const { meetingId } of jobs)
      expect(await server.data(anna.key, "me/meetings.get", { meetingId: meetingId ?? "" })).toMatchObject({
        user: { email: anna.email },
      });
  });

  test("continues where the last durable byte is, and is encrypted until then", async () => {
    const started = await startWithPerson();
    const { client, directory } = started;
    const path = await client.begin(WAV.length, { filename: "call.wav" });
    expect((await client.patch(path, 0, WAV.subarray(0, 1_000))).headers.get("upload-offset")).toBe("1000");
    const head = await client.head(path);
    expect([head.status, head.headers.get("upload-offset"), head.headers.get("upload-length")]).toEqual([
      200,
      "1000",
      String(WAV.length),
    ]);
    expect(Date.parse(head.headers.get("upload-expires") ?? "")).toBeGreaterThan(Date.now());
    const [file = ""] = await readdir(directory);
    expect((await readFile(join(directory, file))).includes("WAVE")).toBe(false);
    for (const offset of [0, 999, 1_001])
      expect(await readAnswer(await client.patch(path, offset, WAV.subarray(offset)))).toEqual(
        refused(409, MESSAGES.otherOffset),
      );
    expect((await client.patch(path, 1_000, WAV.subarray(1_000))).status).toBe(204);
    expect((await client.head(path)).headers.get("upload-offset")).toBe(String(WAV.length));
    await waitForJobs(started, ["completed"]);
  });

  test("409: while another request sends it", async () => {
    const started = await startWithPerson();
    const { server, client } = started;
    const path = await client.begin(WAV.length);
    await server.db.update(transcriptions).set({ dueAt: sql`now() + interval '10 seconds'` });
    expect(await readAnswer(await client.patch(path, 0, WAV))).toEqual(refused(409, MESSAGES.uploadBusy));
    await server.db.update(transcriptions).set({ dueAt: sql`now() - interval '1 second'` });
    expect((await client.patch(path, 0, WAV)).status).toBe(204);
  });
});

describe("refused, with nothing stored", () => {
  test("400, 413: empty, over the limit, or without a length; 412: another protocol", async () => {
    const started = await startWithPerson();
    const { client, server } = started;
    for (const [size, status, error] of [
      [0, 400, MESSAGES.emptyAudio],
      ["-1", 400, MESSAGES.uploadLength],
      ["1e3", 400, MESSAGES.uploadLength],
      [LIMITS.audioBytes + 1, 413, MESSAGES.audioTooLarge],
    ] as const)
      expect(await readAnswer(await client.create(size))).toEqual(refused(status, error));
    expect(await readAnswer(await client.create(1, { lastModified: "soon" }))).toEqual(
      refused(400, MESSAGES.uploadTime),
    );
    expect(await readAnswer(await client.create(1, { keepDays: "-1" }))).toEqual(
      refused(400, MESSAGES.uploadKeepDays),
    );
    expect(await readAnswer(await client.create(1, { filename: "x".repeat(256) }))).toEqual(
      refused(400, MESSAGES.uploadName),
    );
    const old = await client.send("/audio/v1/uploads", "POST", {
      "tus-resumable": "0.2.2",
      "upload-length": "1",
    });
    expect([old.headers.get("tus-version"), ...(await readAnswer(old))]).toEqual([
      "1.0.0",
      ...refused(412, MESSAGES.tusVersion),
    ]);
    expect(await listJobs(started)).toEqual([]);
    const options = await fetch(new URL("/audio/v1/uploads", server.url), { method: "OPTIONS" });
    expect(options.headers.get("tus-max-size")).toBe(String(LIMITS.audioBytes));
  });

  test("413: over 2 GB, where recordings can be converted; what is below can be sent", async () => {
    const converter = { ffmpeg: "ffmpeg", prlimit: "prlimit" };
    const long = { converter, above: LIMITS.audioBytes, longest: 3_600, part: 600 };
    const { client, server } = await startWithPerson({ long });
    expect(await readAnswer(await client.create(LIMITS.longAudioBytes + 1))).toEqual(
      refused(413, MESSAGES.longAudioTooLarge),
    );
    expect((await client.create(LIMITS.longAudioBytes)).status).toBe(201);
    const options = await fetch(new URL("/audio/v1/uploads", server.url), { method: "OPTIONS" });
    expect(options.headers.get("tus-max-size")).toBe(String(LIMITS.longAudioBytes));
  });

  test("413: more audio of a workspace than can wait", async () => {
    const started = await startWithPerson();
    const { client, server, company } = started;
    const ben = await server.given.member(company);
    await createUploader(server.url, ben.key).begin(1_000);
    const [row] = await server.db.select().from(transcriptions);
    if (!row) throw new Error("no upload");
    // One that is converted takes the room of its conversion, too.
    const size = Math.floor(LIMITS.audioWaitingBytes / 8) - LIMITS.convertedBytes;
    await server.db.update(transcriptions).set({ size: size - 100 });
    const copies = Array.from({ length: 7 }, (_, at) => ({ ...row, size, id: `trn_${at}` }));
    await server.db.insert(transcriptions).values(copies);
    expect(await readAnswer(await client.create(101))).toEqual(refused(413, MESSAGES.tooMuchAudio));
    // Also a small one that was converted.
    const converted = size + LIMITS.convertedBytes - 1_000;
    await server.db
      .update(transcriptions)
      .set({ size: 1_000, converted })
      .where(inArray(transcriptions.id, ["trn_0", "trn_1"]));
    expect(await readAnswer(await client.create(101))).toEqual(refused(413, MESSAGES.tooMuchAudio));
    expect((await client.create(100)).status).toBe(201);
    const stranger = await server.given.person();
    expect((await createUploader(server.url, stranger.key).create(101)).status).toBe(201);
  });

  test("413: more than a fifth of it for one owner, also sent by a recorder; others have room", async () => {
    const { client, server, company, anna } = await startWithPerson();
    const ben = await server.given.member(company);
    const recorder = createUploader(server.url, await server.given.ingestKey(company));
    const create = async (size: number, { email }: { readonly email: string }) =>
      readAnswer(await recorder.create(size, { ownerEmail: email }));
    const path = await client.begin(1_000);
    await server.db
      .update(transcriptions)
      .set({ size: LIMITS.audioOwnerBytes - LIMITS.convertedBytes - 100 });
    const tooMuch = refused(413, MESSAGES.tooMuchOwnAudio);
    expect(await readAnswer(await client.create(101))).toEqual(tooMuch);
    expect(await create(101, anna)).toEqual(tooMuch);
    await recorder.begin(101, { ownerEmail: ben.email });
    await client.begin(100);
    await client.remove(path);
    const [row] = await server.db.select().from(transcriptions).where(eq(transcriptions.userId, anna.userId));
    if (!row) throw new Error("no upload");
    const copies = Array.from({ length: LIMITS.audioOwnerFiles - 1 }, (_, at) => ({
      ...row,
      id: `trn_${at}`,
    }));
    await server.db.insert(transcriptions).values(copies);
    expect(await readAnswer(await client.create(1))).toEqual(tooMuch);
    expect(await create(1, anna)).toEqual(tooMuch);
    await recorder.begin(1, { ownerEmail: ben.email });
    expect(LIMITS.audioOwnerBytes).toBeLessThanOrEqual(LIMITS.audioWaitingBytes / 5);
    expect(LIMITS.audioOwnerFiles).toBeLessThanOrEqual(LIMITS.audioWaitingFiles / 5);
  });

  test("an upload holds room for ten minutes until its first byte is stored, then for a day", async () => {
    const started = await startWithPerson();
    const { client, server } = started;
    const path = await client.begin(WAV.length);
    const readSeconds = async () => {
      const seconds = sql<number>`extract(epoch from expires_at - created_at)::float8`;
      return (await server.db.select({ seconds }).from(transcriptions)).map((row) => row.seconds);
    };
    expect(await readSeconds()).toEqual([600]);
    expect((await client.patch(path, 0, Buffer.alloc(0))).status).toBe(204);
    expect(await readSeconds()).toEqual([600]);
    expect((await client.patch(path, 0, WAV.subarray(0, 1))).status).toBe(204);
    expect(await readSeconds()).toEqual([86_400]);
  });

  test("404: one that expires while its audio arrives; none of it is left", async () => {
    const { client, server, anna, directory } = await startWithPerson();
    const wav = createWav(40);
    const path = await client.begin(wav.length);
    const halves = (async function* () {
      yield wav.subarray(0, 300_000);
      await expect.poll(() => readdir(directory)).toHaveLength(1);
      await server.db.update(transcriptions).set({ expiresAt: sql`now() - interval '1 second'` });
      yield wav.subarray(300_000);
    })();
    const answer = await fetch(new URL(path, server.url), {
      method: "PATCH",
      headers: {
        ...{ "x-api-key": anna.key, "tus-resumable": "1.0.0", "upload-offset": "0" },
        "content-type": "application/offset+octet-stream",
      },
      body: halves,
      duplex: "half",
    } as RequestInit);
    expect(await readAnswer(answer)).toEqual(refused(404, MESSAGES.uploadNotFound));
    expect(await readdir(directory)).toEqual([]);
  });

  test.each([
    ["text", Buffer.from("Anna: Hello.\n"), 415, MESSAGES.notAudio],
    ["a long page", Buffer.from("<!doctype html>".padEnd(600_000, " ")), 415, MESSAGES.notAudio],
    ["a playlist", Buffer.from("#EXTM3U\nhttp://10.0.0.1/a.ts\n"), 415, MESSAGES.notAudio],
    ["zeros", Buffer.alloc(1_000), 415, MESSAGES.notAudio],
    ["a recording that is cut off", WAV.subarray(0, -100), 422, MESSAGES.audioCutOff],
  ])("%s is recognized by its content, and deleted", async (_, content, status, error) => {
    const started = await startWithPerson();
    const { client, directory, transcriber } = started;
    const path = await client.begin(content.length, { filename: "call.wav" });
    expect(await readAnswer(await client.patch(path, 0, content))).toEqual(refused(status, error));
    expect([(await client.head(path)).status, await listJobs(started), await readdir(directory)]).toEqual([
      404,
      [],
      [],
    ]);
    expect(transcriber.asked).toEqual([]);
  });

  test("413: more than was announced, whether the request says so or not; what came before stays", async () => {
    const started = await startWithPerson();
    const { client } = started;
    const path = await client.begin(WAV.length);
    expect(await readAnswer(await client.patch(path, 0, Buffer.concat([WAV, WAV])))).toEqual(
      refused(413, MESSAGES.tooMuchSent),
    );
    const endless = (async function* () {
      for (let sent = 0; sent < 3; sent++) yield WAV;
    })();
    const chunked = await fetch(new URL(path, started.server.url), {
      method: "PATCH",
      headers: {
        ...{ "x-api-key": started.anna.key, "tus-resumable": "1.0.0", "upload-offset": "0" },
        "content-type": "application/offset+octet-stream",
      },
      body: endless,
      duplex: "half",
    } as RequestInit);
    expect(chunked.status).toBe(413);
    expect((await client.head(path)).headers.get("upload-offset")).toBe("0");
    expect((await client.patch(path, 0, WAV)).status).toBe(204);
    await waitForJobs(started, ["completed"]);
  });

  test("401, 403: no credential, an invalid one, a key that only reads, a workspace's key", async () => {
    const { server, anna, company } = await startWithPerson();
    const { key } = await createPersonalKey(server.db, anna.userId, "read", { access: "read" });
    const ask = async (credential: Parameters<typeof createUploader>[1]) =>
      (await createUploader(server.url, credential).create(10)).status;
    expect(await ask({})).toBe(401);
    expect(await ask("jk_invalid")).toBe(401);
    expect(await ask({ authorization: "Bearer nothing" })).toBe(401);
    expect(await ask(key)).toBe(403);
    expect(await ask(company.key)).toBe(403);
    const browser = await openSignedInBrowser(server, anna);
    expect(await ask({ cookie: browser.cookie, "sec-fetch-site": "cross-site" })).toBe(403);
    await regenerateKey(server.db, OPERATOR, anna.keyId);
    expect(await ask(anna.key)).toBe(401);
  });

  test("404: another's upload, for each request, whatever their role; 405: other methods", async () => {
    const started = await startWithPerson();
    const { server, client, company } = started;
    const path = await client.begin(WAV.length);
    const recorder = await server.given.ingestKey(company);
    for (const key of [company.admin.key, (await server.given.person()).key, recorder]) {
      const other = createUploader(server.url, key);
      expect((await other.head(path)).status).toBe(404);
      expect(await readAnswer(await other.patch(path, 0, WAV))).toEqual(
        refused(404, MESSAGES.uploadNotFound),
      );
      expect(await readAnswer(await other.remove(path))).toEqual(
        refused(404, MESSAGES.transcriptionNotFound),
      );
    }
    expect((await client.send(path, "PUT", {}, WAV)).status).toBe(405);
    expect(await listJobs(started)).toMatchObject([{ state: "uploading", received: 0 }]);
  });

  test("501: without a transcriber", async () => {
    const server = await startTestServer();
    try {
      const { key } = await server.given.person();
      expect(await readAnswer(await createUploader(server.url, key).create(10))).toEqual(
        refused(501, MESSAGES.noTranscriber),
      );
    } finally {
      await server.close();
    }
  });
});

describe("row and file are deleted", () => {
  const begun = async () => {
    const started = await startWithPerson();
    const path = await started.client.begin(WAV.length, { filename: "call.wav" });
    await started.client.patch(path, 0, WAV.subarray(0, 1_000));
    expect(await readdir(started.directory)).toHaveLength(1);
    return { ...started, path };
  };

  test("at once when the upload is deleted", async () => {
    const { client, directory, path, ...started } = await begun();
    expect((await client.remove(path)).status).toBe(204);
    expect([await listJobs(started), await readdir(directory)]).toEqual([[], []]);
    expect((await client.patch(path, 1_000, WAV.subarray(1_000))).status).toBe(404);
  });

  test.each<[string, (started: Awaited<ReturnType<typeof begun>>) => Promise<unknown>]>([
    [
      "its owner",
      ({ server, anna }) => server.db.delete(schema.users).where(eq(schema.users.id, anna.userId)),
    ],
    ["their membership", ({ server, anna }) => leaveWorkspace(server.db, OPERATOR, anna.userId)],
  ])("when %s is removed; the key goes with the row", async (_, remove) => {
    const { directory, audio, ...started } = await begun();
    await remove({ directory, audio, ...started });
    expect(await listJobs(started)).toEqual([]);
    // Without a row, the file waits a day: a server can have another database by mistake.
    expect(await removeOrphans(audio.store)).toBe(0);
    expect(await removeOrphans(audio.store, 0)).toBe(1);
    expect(await readdir(directory)).toEqual([]);
  });

  test("when it expires; until it is purged, it is unknown", async () => {
    const { server, client, directory, audio, path, ...started } = await begun();
    await server.db.update(transcriptions).set({ expiresAt: sql`now() - interval '1 second'` });
    expect([
      (await client.head(path)).status,
      (await client.patch(path, 1_000, WAV.subarray(1_000))).status,
    ]).toEqual([404, 404]);
    await removeOrphans(audio.store);
    expect(await readdir(directory)).toEqual([]);
    await purgeExpired(server.db);
    expect(await listJobs({ server, ...started })).toEqual([]);
  });
});

describe("an uploaded recording", () => {
  test("is listed and shown to the user it is for, by key and session, until it is their meeting", async () => {
    const started = await startWithPerson();
    const { server, client, anna, company } = started;
    const recorder = createUploader(server.url, await server.given.ingestKey(company));
    const path = await client.begin(WAV.length, { filename: "call.wav" });
    const id = path.slice(path.lastIndexOf("/") + 1);
    await client.patch(path, 0, WAV.subarray(0, 1_000));
    await recorder.begin(WAV.length, { filename: "sent.wav", ownerEmail: anna.email });
    const read = async (at = "", key = anna.key) => {
      const answer = await fetch(`${server.url}/rest/v1/me/transcriptions${at}`, {
        headers: { "x-api-key": key },
      });
      return { status: answer.status, ...((await answer.json()) as object) };
    };
    const begun = {
      id,
      fileName: "call.wav",
      size: WAV.length,
      received: 1_000,
      failure: null,
      meetingId: null,
    };
    expect(await read()).toMatchObject({
      transcriptions: [
        { fileName: "sent.wav", state: "uploading", received: 0 },
        { ...begun, state: "uploading" },
      ],
    });
    const browser = await openSignedInBrowser(server, anna);
    const get = async () =>
      readPayload(await browser.read("console/v1/transcriptions.get", { transcriptionId: id }));
    expect(await get()).toMatchObject({ ...begun, state: "uploading" });
    expect(await read(`/${id}`, company.admin.key)).toEqual({
      status: 404,
      error: MESSAGES.transcriptionNotFound,
    });
    expect(await read("", company.admin.key)).toEqual({ status: 200, transcriptions: [], refusal: null });

    const long = { state: "storing", parts: 5, partsHeard: 2 } as const;
    await server.db.update(transcriptions).set(long).where(eq(transcriptions.id, id));
    expect(await get()).toMatchObject({
      state: "transcribing",
      parts: { finished: 2, total: 5 },
      title: null,
    });
    await server.db.update(transcriptions).set({ state: "uploading" }).where(eq(transcriptions.id, id));
    await client.patch(path, 1_000, WAV.subarray(1_000));
    await expect.poll(get).toMatchObject({
      ...{ state: "completed", fileName: null, received: WAV.length },
      ...{ meetingId: expect.stringMatching(/^mtg_/), title: "call", parts: null },
    });
  });

  test("is followed by the ingest key that sent it, without what people may change; by no other", async () => {
    const started = await startWithPerson();
    const { server, client, anna, company } = started;
    const key = await server.given.ingestKey(company);
    const other = await server.given.ingestKey(company);
    const stranger = await server.given.ingestKey(await server.given.company());
    const recorder = createUploader(server.url, key);
    const path = await recorder.begin(WAV.length, { filename: "call.wav", ownerEmail: anna.email });
    const own = await client.begin(WAV.length);
    const read = async (credential: string, upload = path) => {
      const answer = await fetch(
        `${server.url}/rest/v1/transcriptions/${upload.slice(upload.lastIndexOf("/") + 1)}`,
        { headers: { "x-api-key": credential } },
      );
      return { status: answer.status, ...((await answer.json()) as object) };
    };
    const unknown = { status: 404, error: MESSAGES.transcriptionNotFound };
    expect(await read(key)).toMatchObject({ status: 200, state: "uploading", fileName: "call.wav" });
    expect([await read(other), await read(stranger), await read(key, own)]).toEqual([
      unknown,
      unknown,
      unknown,
    ]);
    expect((await read(anna.key)).status).toBe(401);
    await recorder.patch(path, 0, WAV);
    await expect
      .poll(() => read(key))
      .toMatchObject({
        ...{ state: "completed", meetingId: expect.stringMatching(/^mtg_/), title: null, failure: null },
      });
    const transcriptionId = path.slice(path.lastIndexOf("/") + 1);
    expect(
      readPayload(await server.call(key, "ingest/transcriptions.get", { transcriptionId })),
    ).toMatchObject({ state: "completed", title: null });
  });

  test("is summarizing until its meeting can be read; has the meeting's title until it is deleted", async () => {
    const started = await startWithPerson({ summaries: { enabled: true, wake: () => {} } });
    const { server, client, anna } = started;
    await client.patch(await client.begin(WAV.length, { filename: "Turbines.wav" }), 0, WAV);
    const [job] = await waitForJobs(started, ["completed"]);
    const meetingId = job?.meetingId ?? "";
    expect(await readList(server, anna.key)).toMatchObject([
      { state: "summarizing", title: "Turbines", meetingId, fileName: null },
    ]);
    const worker = startRecordingWorker({ db: server.db, summariser: null, recordingDays: 30 });
    const list = () => readList(server, anna.key);
    await expect.poll(list).toMatchObject([{ state: "completed", title: "Turbines" }]);
    await worker.stop();
    await server.call(anna.key, "me/meetings.delete", { meetingId });
    expect(await list()).toMatchObject([{ state: "completed", title: null }]);
  });

  test("says why it failed in a sentence", async () => {
    const { server, client, anna } = await startWithPerson({ answer: () => ({ ...SPOKEN, segments: [] }) });
    await client.patch(await client.begin(WAV.length), 0, WAV);
    const browser = await openSignedInBrowser(server, anna);
    const list = async () =>
      readPayload<{ transcriptions: { failure: string | null }[] }>(
        await browser.read("console/v1/transcriptions.list", {}),
      ).transcriptions.map(({ failure }) => failure);
    await expect.poll(list).toEqual([TRANSCRIPTION_FAILURES.silent]);
  });

  test("is canceled over REST by the user it is for, with its audio, also if a recorder sends it", async () => {
    const { server, anna, company, directory, ...started } = await startWithPerson();
    const recorder = createUploader(server.url, await server.given.ingestKey(company));
    const path = await recorder.begin(WAV.length, { ownerEmail: anna.email });
    await recorder.patch(path, 0, WAV.subarray(0, 1_000));
    const remove = async (key: string) =>
      (
        await fetch(`${server.url}/rest/v1/me/transcriptions/${path.slice(path.lastIndexOf("/") + 1)}`, {
          method: "DELETE",
          headers: { "x-api-key": key },
        })
      ).status;
    expect(await remove(company.admin.key)).toBe(404);
    expect(await readdir(directory)).toHaveLength(1);
    expect(await remove(anna.key)).toBe(200);
    expect([await listJobs({ server, ...started }), await readdir(directory)]).toEqual([[], []]);
    expect(await remove(anna.key)).toBe(404);
  });
});

describe("a job", () => {
  test("is tried again while the transcriber fails, and tells why it failed in the end; no audio is left", async () => {
    const started = await startWithPerson({
      answer: (response, number) => {
        if (number !== 2) return SPOKEN;
        response.writeHead(500).end();
        return undefined;
      },
    });
    const { client, transcriber } = started;
    await client.patch(await client.begin(WAV.length), 0, WAV);
    await waitForJobs(started, ["completed"]);
    const other = createWav(0.3);
    await client.patch(await client.begin(other.length), 0, other);
    await waitForJobs(started, ["completed", "completed"]);
    expect(transcriber.asked).toHaveLength(3);
  });

  test("that failed after the transcriber's answer keeps it, encrypted: the recording is not transcribed twice", async () => {
    let failures = 0;
    let kept: string[] = [];
    const summaries: SummaryQueue = {
      get enabled(): boolean {
        if (failures++ > 0) return false;
        kept = readdirSync(started.directory).filter((name) => name.endsWith(".kept"));
        kept.push(...kept.map((name) => readFileSync(join(started.directory, name), "latin1")));
        throw new Error("the database is away");
      },
      wake: () => {},
    };
    const started = await startWithPerson({ summaries });
    const { client, directory, transcriber, server, anna } = started;
    await client.patch(await client.begin(WAV.length), 0, WAV);
    const [job] = await waitForJobs(started, ["completed"]);
    expect(job?.attempts).toBe(2);
    expect(transcriber.asked).toHaveLength(1);
    expect(kept).toEqual([`${job?.id}.answer.kept`, expect.not.stringContaining("turbines")]);
    const meeting = await server.data(anna.key, "me/meetings.get", { meetingId: job?.meetingId ?? "" });
    expect(JSON.stringify(meeting)).toContain("turbines");
    await expect.poll(() => readdir(directory)).toEqual([]);
    expect(await server.db.select().from(schema.creditCharges)).toHaveLength(1);
  });

  test.each<[string, NonNullable<Parameters<typeof startAudioServer>[0]>["answer"], number]>([
    ["unavailable", (response) => void response.writeHead(500).end(), 3],
    ["refused", (response) => void response.writeHead(400).end(), 1],
    ["silent", () => ({ ...SPOKEN, segments: [] }), 1],
  ])("failed: %s; webhooks learn that it did, not why", async (failure, answer, attempts) => {
    const started = await startWithPerson({ answer });
    const { client, directory, server, anna } = started;
    const hook = { url: "https://hooks.example.com/", events: ["recording.failed" as const] };
    await server.db.insert(schema.webhooks).values({
      ...{ ...hook, id: "wh_failed", name: "Failed", kind: "personal", userId: anna.userId },
      ...{ workspaceId: null, method: "signature", secret: Buffer.from("x"), secretKeyId: "", tags: [] },
    } as typeof schema.webhooks.$inferInsert);
    await client.patch(await client.begin(WAV.length), 0, WAV);
    expect(await waitForJobs(started, ["failed"])).toMatchObject([{ failure, attempts, fileKey: null }]);
    await expect.poll(() => readdir(directory)).toEqual([]);
    expect(await server.db.select().from(schema.creditCharges)).toEqual([]);
    const [event] = await server.db.select().from(schema.webhookEvents);
    const [job] = await listJobs(started);
    expect(JSON.parse(event?.data ?? "{}")).toEqual({ id: job?.id, externalId: null, userId: anna.userId });
  });

  test("failed: tried only once again after a transcriber that does not answer in time", async () => {
    const started = await startWithPerson({ answer: () => undefined, timeout: 500 });
    const { client } = started;
    await client.patch(await client.begin(WAV.length), 0, WAV);
    expect(await waitForJobs(started, ["failed"])).toMatchObject([{ failure: "unavailable", attempts: 2 }]);
  });

  test("failed: a deleted meeting is not imported again, and its recording not transcribed", async () => {
    const started = await startWithPerson();
    const { client, server, anna, transcriber } = started;
    await client.patch(await client.begin(WAV.length), 0, WAV);
    const [job] = await waitForJobs(started, ["completed"]);
    await server.call(anna.key, "me/meetings.delete", { meetingId: job?.meetingId });
    await client.patch(await client.begin(WAV.length), 0, WAV);
    expect((await waitForJobs(started, ["completed", "failed"]))[1]).toMatchObject({ failure: "deleted" });
    expect(transcriber.asked).toHaveLength(1);
  });

  test("that is deleted while it is transcribed ends at once, and leaves no meeting", async () => {
    let asked = () => {};
    const arrived = new Promise<void>((resolve) => {
      asked = resolve;
    });
    let closed = () => {};
    const ended = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const started = await startWithPerson({
      answer: (response) => {
        response.once("close", () => closed());
        asked();
        return undefined;
      },
    });
    const { client, server, anna, directory } = started;
    const path = await client.begin(WAV.length);
    await client.patch(path, 0, WAV);
    await arrived;
    expect((await client.remove(path)).status).toBe(204);
    await ended;
    expect([await readList(server, anna.key), await readdir(directory)]).toEqual([[], []]);
    const empty = { name: null, fileKey: null, meetingId: null, size: 0, received: 0, uploader: "{}" };
    expect(await listJobs(started)).toMatchObject([{ state: "canceled", ...empty }]);
    for (const again of [await client.head(path), await client.remove(path)]) expect(again.status).toBe(404);
    expect(await server.db.select().from(schema.recordings)).toEqual([]);
  });

  test("409: one whose meeting is being stored can't be deleted", async () => {
    const started = await startWithPerson();
    const { client, server } = started;
    const path = await client.begin(WAV.length);
    await server.db
      .update(transcriptions)
      .set({ state: "storing", dueAt: sql`now() + interval '50 seconds'` });
    expect(await readAnswer(await client.remove(path))).toEqual(refused(409, MESSAGES.transcriptionStoring));
  });

  test("of the owner who has waited longest comes first, one of each at a time", async () => {
    const started = await startWithPerson();
    const { server, client, company, transcriber, audio } = started;
    await audio.stop();
    const ben = createUploader(server.url, (await server.given.member(company)).key);
    const lengths = [0.1, 0.2, 0.3, 0.4].map((seconds) => createWav(seconds));
    for (const [at, wav] of lengths.entries()) {
      const sender = at === 3 ? ben : client;
      await sender.patch(await sender.begin(wav.length), 0, wav);
    }
    expect(transcriber.asked).toEqual([]);
    await transcribeAll(started, ["completed", "completed", "completed", "completed"]);
    expect(readOrder(transcriber, lengths)).toEqual([0, 3, 1, 2]);
  });

  test("comes no earlier because its owner deletes what was transcribed for them", async () => {
    const started = await startWithPerson();
    const { server, client, company, transcriber, audio, anna } = started;
    const ben = createUploader(server.url, (await server.given.member(company)).key);
    const lengths = [0.1, 0.2, 0.3, 0.4].map((seconds) => createWav(seconds));
    const paths: string[] = [];
    const send = async (sender: typeof client, at: number) => {
      const wav = lengths[at] ?? Buffer.alloc(0);
      const path = await sender.begin(wav.length);
      await sender.patch(path, 0, wav);
      paths.push(path);
    };
    await send(ben, 0);
    await waitForJobs(started, ["completed"]);
    await send(client, 1);
    await waitForJobs(started, ["completed", "completed"]);
    await audio.stop();
    await send(client, 2);
    await send(ben, 3);
    expect((await client.remove(paths[1] ?? "")).status).toBe(204);
    expect(await readList(server, anna.key)).toMatchObject([{ state: "queued" }]);
    await transcribeAll(started, ["completed", "canceled", "completed", "completed"]);
    expect(readOrder(transcriber, lengths)).toEqual([0, 1, 3, 2]);
  });

  test("of another workspace comes before those of a recorder's other owners", async () => {
    const started = await startWithPerson();
    const { server, company, transcriber, audio, anna } = started;
    await audio.stop();
    const recorder = createUploader(server.url, await server.given.ingestKey(company));
    const stranger = createUploader(server.url, (await server.given.person()).key);
    const owners = [anna, await server.given.member(company), await server.given.member(company)];
    const lengths = [0.1, 0.2, 0.3, 0.4].map((seconds) => createWav(seconds));
    for (const [at, wav] of lengths.entries()) {
      const owner = owners[at];
      const path = owner
        ? await recorder.begin(wav.length, { ownerEmail: owner.email })
        : await stranger.begin(wav.length);
      await (owner ? recorder : stranger).patch(path, 0, wav);
    }
    await transcribeAll(started, ["completed", "completed", "completed", "completed"]);
    expect(readOrder(transcriber, lengths)).toEqual([0, 3, 1, 2]);
  });
});

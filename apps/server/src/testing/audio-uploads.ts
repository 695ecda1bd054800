import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createKeyring, createTranscriber, NO_SUMMARIES } from "@minutes/core";
import { createKeptFiles, type KeptAudioStore, keepAudio } from "@minutes/core/kept-audio";
import { schema } from "@minutes/db";
import { createTestDatabase, temporaryDir } from "@minutes/testing";
import { and, eq } from "drizzle-orm";
import pino from "pino";
import { onTestFinished } from "vitest";
import { type Surroundings, startTranscribing } from "../operations/audio/transcribe-uploads.js";
import { startTestServer } from "./server.js";
import { startTranscriber } from "./transcriber.js";

type Changes = Partial<Pick<Surroundings, "long" | "summaries" | "waits">> & {
  readonly answer?: Parameters<typeof startTranscriber>[0];
  /** Timeout of the transcriber in ms. */
  readonly timeout?: number;
  readonly consoleDirectory?: string;
  readonly corsOrigins?: readonly string[];
};

/** Starts a server that transcribes uploaded audio, until the test ends. */
export async function startAudioServer(options: Changes = {}) {
  const { answer, timeout, consoleDirectory, corsOrigins = [], ...changes } = options;
  const transcriber = await startTranscriber(answer);
  const database = await createTestDatabase();
  const connection = await database.connect();
  const directory = join(await temporaryDir(), "audio");
  const keyring = createKeyring([Buffer.alloc(32, 7)]);
  const endpoint = { url: transcriber.url, model: "whisper-1", pause: 1, ...(timeout ? { timeout } : {}) };
  const surroundings: Surroundings = {
    ...{ db: connection.db, background: connection.db, directory, keyring, alone: false },
    transcriber: { transcribe: createTranscriber(endpoint), stop: () => {} },
    summaries: NO_SUMMARIES,
    waits: { interval: 50, backoff: [0.05, 0.05] },
    ...changes,
  };
  const start = () => startTranscribing(surroundings, pino({ level: "silent" }));
  const audio = await start();
  const keptAudio = { db: connection.db, keyring, files: createKeptFiles(directory) };
  const server = await startTestServer({
    ...{ database, connection, audio, keptAudio, corsOrigins },
    ...(consoleDirectory === undefined ? {} : { consoleDirectory }),
  });
  onTestFinished(async () => {
    await audio.stop();
    await server.close();
    await connection.close();
    await database.close();
  });
  return { server, audio, keptAudio, transcriber, directory, keyring, start };
}

/** Sends requests of tus 1.0 as a caller does, with a key or other headers. */
export function createUploader(url: string, credential: string | Readonly<Record<string, string>>) {
  const headers = typeof credential === "string" ? { "x-api-key": credential } : credential;
  const send = (path: string, method: string, more: Readonly<Record<string, string>>, body?: Uint8Array) =>
    fetch(new URL(path, url), {
      method,
      headers: { "tus-resumable": "1.0.0", ...headers, ...more },
      ...(body ? { body } : {}),
    });
  const create = (size: number | string, metadata: Readonly<Record<string, string>> = {}) =>
    send("/audio/v1/uploads", "POST", {
      "upload-length": String(size),
      "upload-metadata": Object.entries(metadata)
        .map(([name, value]) => `${name} ${Buffer.from(value).toString("base64")}`)
        .join(","),
    });
  const patch = (
    path: string,
    offset: number,
    body: Uint8Array,
    more: Readonly<Record<string, string>> = {},
  ) =>
    send(
      path,
      "PATCH",
      { "upload-offset": String(offset), "content-type": "application/offset+octet-stream", ...more },
      body,
    );
  return {
    send,
    create,
    patch,
    head: (path: string) => send(path, "HEAD", {}),
    remove: (path: string) => send(path, "DELETE", {}),
    /** Creates an upload. @returns its path */
    begin: async (size: number, metadata: Readonly<Record<string, string>> = {}) => {
      const response = await create(size, metadata);
      if (response.status !== 201) throw new Error(`${response.status} ${await response.text()}`);
      return response.headers.get("location") ?? "";
    },
  };
}

interface KeptMeeting {
  readonly meetingId: string;
  readonly ownerId: string;
  readonly workspaceId: string;
}

/** Keeps audio of a meeting that exists, as a worker does. @param keepDays what was promised when it was uploaded; null: nothing */
export async function keepTestAudio(
  store: KeptAudioStore,
  meeting: KeptMeeting,
  audio: Uint8Array,
  keepDays: number | null = 30,
) {
  const transcriptionId = `trn_${randomBytes(8).toString("hex")}`;
  const now = new Date().toISOString();
  const { members, transcriptions } = schema;
  const owner = { userId: meeting.ownerId, workspaceId: meeting.workspaceId };
  const isMember = and(eq(members.userId, owner.userId), eq(members.workspaceId, owner.workspaceId));
  // Uploads end with their owner's membership.
  if ((await store.db.$count(members, isMember)) > 0)
    await store.db.insert(transcriptions).values({
      ...{ ...owner, id: transcriptionId, keepDays },
      ...{ uploader: "{}", state: "storing", size: audio.length, secretKeyId: "none" },
      ...{ modifiedAt: now, expiresAt: "2099-01-01T00:00:00Z" },
    });
  const reader = {
    size: audio.length,
    async *stream() {
      for (let at = 0; at < audio.length; at += 256 * 1024) yield audio.subarray(at, at + 256 * 1024);
    },
  };
  const kept = { format: "wav", seconds: null, reader };
  return keepAudio(store, { ...meeting, transcriptionId }, kept, new AbortController().signal);
}

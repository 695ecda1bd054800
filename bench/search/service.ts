import { randomBytes } from "node:crypto";
import type { AddressInfo } from "node:net";
import type { SearchResults } from "@minutes/contract";
import { createUser, importMeeting, OPERATOR, setPlan } from "@minutes/core";
import { type Connection, connectEmbedded, connectPostgres } from "@minutes/db";
import type { EmbeddingModel } from "@minutes/search";
import { createApp, createHttpServer, createSimilaritySearch, parseConfig } from "@minutes/server";
import { createPersonalKey } from "@minutes/testing";
import { sql } from "drizzle-orm";
import pino from "pino";
import postgres from "postgres";
import { createSpreadDatabase } from "../scaling/cluster.js";
import type { BenchMeeting } from "./dataset.js";

/** The whole service on its own database, with one person to search. */
export interface Service {
  readonly connection: Connection;
  /** Stores a meeting for a person, as `pnpm minutes import` does. */
  import(owner: string, meeting: BenchMeeting): Promise<void>;
  /** Creates a person with a key. */
  createPerson(email: string): Promise<{ key: string; userId: string }>;
  /** Calls the public API; meeting ids are the benchmark's. */
  search(
    key: string,
    query: string,
    from: string,
    to: string,
  ): Promise<{ meetingId: string; text: string }[]>;
  /** Returns true if the model failed or was late, so that search uses words only. */
  isModelFailing(): boolean;
  /** Creates missing vectors; resolves when all exist. */
  waitForVectors(): Promise<void>;
  close(): Promise<void>;
}

const { EMBEDDINGS_URL, EMBEDDINGS_MODEL, EMBEDDINGS_KEY } = process.env;
const modes = {
  words: { EMBEDDINGS: "off" },
  builtin: { EMBEDDINGS: "builtin" },
  endpoint: { EMBEDDINGS: "endpoint", EMBEDDINGS_URL, EMBEDDINGS_MODEL, EMBEDDINGS_KEY },
  local: { EMBEDDINGS: "local", EMBEDDINGS_MODEL },
} as const;
/** Search modes; settings of the service select a model. */
export type Mode = keyof typeof modes;
export const MODES = Object.keys(modes) as Mode[];

/** Where the service's database is created; the embedded engine if absent. */
export interface DatabaseServer {
  readonly url?: string | undefined;
  /** True for a coordinator whose workers the database is distributed over. */
  readonly isSpread?: boolean;
}

/**
 * Starts the service in a new database.
 * @param wrap wraps the model
 */
export async function startService(
  { url, isSpread = false }: DatabaseServer = {},
  mode: Mode = "words",
  wrap?: (model: EmbeddingModel) => EmbeddingModel,
): Promise<Service> {
  const database = url ? await (isSpread ? createSpreadDatabase : createTemporaryDatabase)(url) : null;
  const connection = database ? await connectPostgres({ url: database.url }) : await connectEmbedded();
  const { db } = connection;
  const similarity = await createSimilaritySearch(modes[mode], connection, pino({ level: "silent" }), wrap);
  const server = createHttpServer(
    createApp({
      connection,
      config: parseConfig({ RATE_LIMIT_PER_MINUTE: "1000000000" }),
      publicUrl: () => "http://localhost",
      log: pino({ level: "silent" }),
      similarity,
      deadline: 60_000,
    }),
  );
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const original = new Map<string, string>();
  return {
    connection,
    createPerson: async (email) => {
      const { userId, workspaceId } = await createUser(db, OPERATOR, { email, name: email });
      await setPlan(db, OPERATOR, workspaceId, "team");
      const { key } = await createPersonalKey(db, userId, "bench");
      return { key, userId };
    },
    import: async (ownerEmail, meeting) => {
      const { meetingId } = await importMeeting(db, {
        externalId: `${ownerEmail}/${meeting.id}`,
        ownerEmail,
        title: meeting.title,
        startTime: `${meeting.date}T09:00:00.000Z`,
        transcript: meeting.segments.map(({ speaker, text }) => ({
          speakerId: speaker,
          speakerName: speaker,
          text,
        })),
        tasks: [],
        tags: [],
      });
      original.set(meetingId, meeting.id);
    },
    search: async (key, query, startDate, endDate) => {
      const input = encodeURIComponent(JSON.stringify({ json: { query, startDate, endDate } }));
      const response = await fetch(`${base}/v1/me/meetings.search?input=${input}`, {
        headers: { "x-api-key": key },
      });
      if (!response.ok) throw new Error(`meetings.search answered ${response.status}`);
      const body = (await response.json()) as { result: { data: { json: SearchResults } } };
      return body.result.data.json.results.map(({ meetingId, text }) => ({
        meetingId: original.get(meetingId) ?? meetingId,
        text,
      }));
    },
    isModelFailing: () => similarity.state().mode === "failing",
    waitForVectors: async () => {
      if (mode === "words") return;
      const stop = similarity.startEmbedding(db);
      for (;;) {
        const [row] = await db
          .select({
            pending: sql<number>`count(*)`,
          })
          .from(sql`search_documents where space is null`);
        if (Number(row?.pending) === 0 || similarity.state().mode === "failing") break;
        await new Promise((done) => setTimeout(done, 200));
      }
      await stop();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
      await connection.close();
      await database?.drop();
    },
  };
}

/** Creates a database on the server of a URL; `drop` removes it. */
export async function createTemporaryDatabase(
  serverUrl: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const name = `search_bench_${randomBytes(4).toString("hex")}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  const administer = async (statement: string) => {
    const sql = postgres(serverUrl, { max: 1, onnotice: () => {} });
    await sql.unsafe(statement).finally(() => sql.end());
  };
  await administer(`create database ${name}`);
  return { url: url.href, drop: () => administer(`drop database if exists ${name} with (force)`) };
}

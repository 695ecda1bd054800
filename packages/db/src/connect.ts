import { chmod, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { drizzle as drizzleEmbedded } from "drizzle-orm/pglite";
import { drizzle as drizzlePostgres } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import type { Database } from "./database.js";
import { migrateEmbedded, migratePostgres } from "./migrate.js";
import { toInstant } from "./schema/types.js";
import { enableStatements } from "./statement.js";

/** An open database, migrated and ready. */
export interface Connection {
  readonly engine: "embedded" | "postgres";
  readonly db: Database;
  /**
   * Calls back after each NOTIFY on the channel, and whenever some may have been missed: at the start, and after a
   * lost connection is made again.
   * @returns a function that ends it.
   */
  listen(channel: string, onNotify: () => void): Promise<() => Promise<void>>;
  /** Waits for running statements, then lets go of the database. */
  close(): Promise<void>;
}

export interface PostgresOptions {
  readonly url: string;
  /** Most connections held open at once. */
  readonly poolSize?: number;
  /** Milliseconds after which the server cancels a statement; none when absent. */
  readonly statementTimeout?: number;
  /** False leaves the schema as it is. */
  readonly migrate?: boolean;
}

/** Type id of `timestamp with time zone` on the wire of PostgreSQL. */
const TIMESTAMPTZ = 1184;

/** How long to wait before each new try to connect, in seconds: short and fixed, so that a restart costs little. */
const RECONNECT_SECONDS = 0.25;

/**
 * Connects to PostgreSQL 15 or newer and brings its schema up to date.
 * @throws SchemaNewerError when the schema was written by a newer version.
 */
export async function connectPostgres(options: PostgresOptions): Promise<Connection> {
  if (options.migrate !== false) await migratePostgres(options.url);
  const client = postgres(options.url, {
    max: options.poolSize ?? 10,
    backoff: () => RECONNECT_SECONDS,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    connection: {
      application_name: "minutes",
      TimeZone: "UTC",
      // Compiling a plan takes longer than any statement of ours; PostgreSQL would try it on a large search.
      jit: "off",
      // What `toInstant` and the driver read, whatever the server, the database or the role prefers.
      DateStyle: "ISO",
      bytea_output: "hex",
      ...(options.statementTimeout === undefined ? {} : { statement_timeout: options.statementTimeout }),
    },
  });
  const db = drizzlePostgres(client) as unknown as Database;
  // Drizzle has just made these parsers leave times as they come.
  client.options.parsers[TIMESTAMPTZ] = toInstant;
  enableStatements(db, (text, values) => client.unsafe(text, values as never[], { prepare: true }));
  const listen = async (channel: string, onNotify: () => void) =>
    (await client.listen(channel, onNotify, onNotify)).unlisten;
  return { engine: "postgres", db, listen, close: () => client.end({ timeout: 5 }) };
}

export interface EmbeddedOptions {
  /** Directory that holds the data; absent keeps everything in memory. The caller holds its lock. */
  readonly dataDir?: string;
  /** A dump of an embedded database to start from. */
  readonly from?: Blob;
  /** False leaves the schema as it is. */
  readonly migrate?: boolean;
}

/**
 * Opens the embedded database and brings its schema up to date.
 * @throws SchemaNewerError when the schema was written by a newer version.
 */
export async function connectEmbedded(
  options: EmbeddedOptions = {},
): Promise<Connection & { client: PGlite }> {
  const directory = options.dataDir === undefined ? undefined : join(options.dataDir, "db");
  if (directory !== undefined) {
    // The engine makes files that everybody may write to; what is around them is often made by somebody else.
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await chmod(directory, 0o700);
  }
  const client = await PGlite.create({
    ...(directory === undefined ? {} : { dataDir: directory }),
    ...(options.from ? { loadDataDir: options.from } : {}),
    extensions: { vector },
  });
  await client.exec("SET TimeZone = 'UTC'");
  const embedded = drizzleEmbedded(client);
  if (options.migrate !== false) await migrateEmbedded(embedded);
  const db = embedded as unknown as Database;
  const parsers = { [TIMESTAMPTZ]: toInstant };
  enableStatements(db, async (text, values) => (await client.query(text, values, { parsers })).rows);
  const listen = async (channel: string, onNotify: () => void) => {
    const unlisten = await client.listen(channel, onNotify);
    onNotify();
    return () => unlisten();
  };
  return { engine: "embedded", db, client, listen, close: () => client.close() };
}

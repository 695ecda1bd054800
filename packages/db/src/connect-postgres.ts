import { drizzle } from "drizzle-orm/postgres-js";
import postgres from "postgres";
import { type Connection, TIMESTAMPTZ } from "./connection.js";
import type { Database } from "./database.js";
import { migratePostgres } from "./migrate.js";
import { toInstant } from "./schema/types.js";
import { enableStatements } from "./statement.js";

export interface PostgresOptions {
  readonly url: string;
  /** Most connections held open at once. */
  readonly poolSize?: number;
  /** Milliseconds after which the server cancels a statement; none when absent. */
  readonly statementTimeout?: number;
  /** False leaves the schema as it is. */
  readonly migrate?: boolean;
}

/** Seconds before each new attempt to connect: short and fixed, so that a restart of the database costs little. */
const RECONNECT_SECONDS = 0.25;

/** Calls back when the driver begins with a query on a connection, which it notes in the query's `active`. */
function watchActive(query: unknown, onActive: () => void): void {
  let active = false;
  Object.defineProperty(query, "active", {
    get: () => active,
    set: (value: boolean) => {
      if (value && !active) onActive();
      active = value;
    },
  });
}

/**
 * Connects to PostgreSQL 15 or newer and brings its schema up to date.
 * @throws SchemaNewerError when a newer version wrote the schema.
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
  const db = drizzle(client) as unknown as Database;
  // Drizzle has just made these parsers leave times as they come.
  client.options.parsers[TIMESTAMPTZ] = toInstant;
  const run = (text: string, values: unknown[]) => client.unsafe(text, values as never[], { prepare: true });
  enableStatements(db, run, watchActive);
  const listen = async (channel: string, onNotify: (payload?: string) => void) =>
    (await client.listen(channel, onNotify, () => onNotify())).unlisten;
  return { engine: "postgres", db, listen, close: () => client.end({ timeout: 5 }) };
}

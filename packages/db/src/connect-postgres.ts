import { drizzle } from "drizzle-orm/postgres-js";
import { type Connection, TIMESTAMPTZ } from "./connection.js";
import type { Database } from "./database.js";
import { migratePostgres } from "./migrate.js";
import { requireUsablePooler } from "./pooler.js";
import { createClient, hasSeveralHosts } from "./postgres-client.js";
import { toInstant } from "./schema/types.js";
import { enableStatements } from "./statement.js";
import { watchServer } from "./watch-server.js";

export interface PostgresOptions {
  /** The database's address, or a pooler's when there is a `directUrl`. */
  readonly url: string;
  /** The database's own address, for migrations, locks and notifications; `url` when absent. */
  readonly directUrl?: string | undefined;
  /**
   * True sends statements without names, one at a time on each connection, for poolers that lose prepared statements.
   * @see docs/decisions/0211-poolers-in-transaction-mode.md
   */
  readonly unnamedStatements?: boolean;
  /** Most connections held open at once. */
  readonly poolSize?: number;
  /** Milliseconds after which the server cancels a statement; none when absent. Of a pooler's sessions, it is the pooler's. */
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

/** Settings of a session that PgBouncer passes on. The others have to be the pooler's own. */
const SETTINGS = {
  application_name: "minutes",
  TimeZone: "UTC",
  // What `toInstant` and the driver read, whatever the server, the database or the role prefers.
  DateStyle: "ISO",
};

const UNPOOLED_SETTINGS = {
  ...SETTINGS,
  // Compiling a plan takes longer than any statement of ours; PostgreSQL would try it on a large search.
  jit: "off",
  bytea_output: "hex",
};

/**
 * Sends a statement when the one before it has been answered: an old pooler gives a connection another session after an
 * answer, even when a part of the next statement has arrived.
 */
const UNNAMED_STATEMENTS = { prepare: false, max_pipeline: 0 };

/**
 * Connects to PostgreSQL 15 or newer and brings its schema up to date.
 * @throws SchemaNewerError when a newer version wrote the schema; PoolerError
 */
export async function connectPostgres(options: PostgresOptions): Promise<Connection> {
  const { url, directUrl, statementTimeout, unnamedStatements = false } = options;
  if (options.migrate !== false) {
    const needsTimeout = statementTimeout !== undefined;
    if (directUrl !== undefined)
      await requireUsablePooler({ url, directUrl, needsTimeout, needsStatements: !unnamedStatements });
    await migratePostgres(directUrl ?? url, { isDirect: directUrl !== undefined });
  }
  const create = (address: string, isPooled: boolean) =>
    createClient(address, {
      max: options.poolSize ?? 10,
      backoff: () => RECONNECT_SECONDS,
      ...(isPooled && unnamedStatements ? UNNAMED_STATEMENTS : {}),
      connection: isPooled
        ? SETTINGS
        : {
            ...UNPOOLED_SETTINGS,
            ...(statementTimeout === undefined ? {} : { statement_timeout: statementTimeout }),
          },
    });
  const client = create(url, directUrl !== undefined);
  // Connects only to listen, with one connection.
  const direct = directUrl === undefined ? client : create(directUrl, false);
  const db = drizzle(client) as unknown as Database;
  // Drizzle has just made these parsers leave times as they come.
  client.options.parsers[TIMESTAMPTZ] = toInstant;
  const run = (text: string, values: unknown[]) => client.unsafe(text, values as never[], { prepare: true });
  enableStatements(db, run, watchActive);
  const listen = async (channel: string, onNotify: (payload?: string) => void) =>
    (await direct.listen(channel, onNotify, () => onNotify())).unlisten;
  const pools =
    directUrl === undefined
      ? [{ pool: client, url }]
      : [
          { pool: client, url },
          { pool: direct, url: directUrl },
        ];
  const watches = pools
    .filter((each) => hasSeveralHosts(each.url))
    .map((each) => watchServer(each.pool, each.url));
  const close = async () => {
    await Promise.all(watches.map((stop) => stop()));
    await Promise.all(pools.map(({ pool }) => pool.end({ timeout: 5 })));
  };
  return { engine: "postgres", db, listen, close };
}

import type { Sql } from "postgres";
import { getFaultCode } from "./faults.js";
import { createClient } from "./postgres-client.js";
import { withTimeout } from "./with-timeout.js";

/** An address leads to a connection pooler that can't do what it is set for; the message says what to change. */
export class PoolerError extends Error {
  override name = "PoolerError";
}

const REFUSALS = {
  transaction:
    "DATABASE_URL leads to a connection pooler in transaction mode, which separates locks and notifications from their " +
    "sessions. Set DATABASE_DIRECT_URL to the database's own address, or use that address or a pool in session mode.",
  statement:
    "DATABASE_URL leads to a connection pooler in statement mode, which has no transactions. " +
    "Set it to transaction mode, or use the database's own address.",
  direct:
    "DATABASE_DIRECT_URL leads to a connection pooler that separates locks and notifications from their sessions. " +
    "Set it to the database's own address.",
  statements:
    "The connection pooler that DATABASE_URL leads to loses prepared statements. Use PgBouncer 1.21 or newer with " +
    "max_prepared_statements, or set DATABASE_STATEMENTS=unnamed.",
  sessions:
    "The sessions of the connection pooler that DATABASE_URL leads to need a statement_timeout and bytea_output = hex: " +
    "add connect_query='set statement_timeout = 4750; set jit = off' to the database in pgbouncer.ini.",
  other: "DATABASE_URL and DATABASE_DIRECT_URL lead to different databases.",
} as const;

const refuse = (reason: keyof typeof REFUSALS): never => {
  throw new PoolerError(REFUSALS[reason]);
};

/** What lies between an address and its database: nothing that matters to sessions, or a pooler in one of these modes. */
interface Pooling {
  readonly mode: "session" | "transaction" | "statement";
  /** False when a statement that was prepared in one session was missing in the next one. */
  readonly keepsStatements: boolean;
}

/** Times that the sessions are compared: a pooler may give the same one twice by chance. */
const ROUNDS = 3;
/** Milliseconds after which a session that another one's transaction blocks counts as shared. */
const PATIENCE = 2_000;

/** Returns whether the connection ends at a pooler: it gives clients process ids that are not those of the server. */
async function isPooled(client: Sql): Promise<boolean> {
  const rows = await client<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  return rows[0]?.pid !== (rows as unknown as { state?: { pid: number } }).state?.pid;
}

/** Compares two connections, while one of them has a transaction open. */
async function inspectPooling(url: string): Promise<Pooling> {
  const [one, other] = [createClient(url, { max: 1 }), createClient(url, { max: 1 })];
  const pooling = (mode: Pooling["mode"], keepsStatements = true): Pooling => ({ mode, keepsStatements });
  try {
    if (!(await isPooled(one))) return pooling("session");
    let mode: Pooling["mode"] = "session";
    let keepsStatements = true;
    for (let round = 0; round < ROUNDS; round++) {
      const before = await getSession(one);
      const prepared = await askPrepared(one);
      await other.unsafe("begin").simple();
      const held = await getSession(other);
      const after = await withTimeout(getSession(one), PATIENCE, () => null);
      const again = after === null ? null : await askPrepared(one);
      await other.unsafe("rollback").simple();
      if (after !== before || held === before) mode = "transaction";
      if (prepared === "lost" || again === "lost") keepsStatements = false;
    }
    return pooling(mode, keepsStatements);
  } catch (error) {
    // What PgBouncer does to `begin` in statement mode.
    if (["08P01", "CONNECTION_CLOSED"].includes(getFaultCode(error) ?? "")) return pooling("statement");
    throw error;
  } finally {
    await Promise.all([one, other].map((each) => each.end({ timeout: 1 })));
  }
}

/** Returns the id of the server's process that answers. */
async function getSession(client: Sql): Promise<number | undefined> {
  const [row] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  return row?.pid;
}

/** Runs a statement that stays prepared. The driver prepares it again where it is lost, and notes that in `retried`. */
async function askPrepared(client: Sql): Promise<"kept" | "lost"> {
  const query = client.unsafe("select $1::text as word", ["kept"], { prepare: true });
  try {
    await query;
    return "retried" in query && query.retried ? "lost" : "kept";
  } catch (error) {
    // Missing, or there already.
    if (["26000", "42P05"].includes(getFaultCode(error) ?? "")) return "lost";
    throw error;
  }
}

/** Requires sessions that keep their locks and notifications. @throws PoolerError */
export async function requireOwnSessions(url: string, isDirect: boolean): Promise<void> {
  const { mode } = await inspectPooling(url);
  if (mode !== "session") refuse(isDirect ? "direct" : mode);
}

export interface PoolerOptions {
  /** The database through the pooler. */
  readonly url: string;
  /** The same database without it. */
  readonly directUrl: string;
  /** Whether statements have to be cancelled after a time. */
  readonly needsTimeout: boolean;
  /** Whether statements are prepared under a name. */
  readonly needsStatements: boolean;
}

/** Requires a pooler that can serve: with transactions, with the statements and settings of its sessions. @throws PoolerError */
export async function requireUsablePooler(options: PoolerOptions): Promise<void> {
  const { mode, keepsStatements } = await inspectPooling(options.url);
  if (mode === "statement") refuse("statement");
  if (options.needsStatements && !keepsStatements) refuse("statements");
  const [pooled, direct] = await Promise.all([
    describeDatabase(options.url),
    describeDatabase(options.directUrl),
  ]);
  if (pooled.database !== direct.database) refuse("other");
  if (pooled.bytea !== "hex" || (options.needsTimeout && pooled.timeout === "0")) refuse("sessions");
}

interface DescribedDatabase {
  /** Tells the databases of all servers apart, as long as no server is started again. */
  readonly database: string;
  readonly bytea: string;
  readonly timeout: string;
}

/** Returns which database an address leads to, and what its sessions are set to. */
async function describeDatabase(url: string): Promise<DescribedDatabase> {
  const client = createClient(url, { max: 1 });
  try {
    const [row] = await client<DescribedDatabase[]>`
      select concat_ws(' ', pg_postmaster_start_time() at time zone 'UTC', oid) as database,
        current_setting('bytea_output') as bytea, current_setting('statement_timeout') as timeout
      from pg_database where datname = current_database()`.simple();
    if (!row) throw new Error("The database does not name itself.");
    return row;
  } finally {
    await client.end({ timeout: 1 });
  }
}

import type { Sql } from "postgres";
import { ExplainedError, getFaultCode } from "./faults.js";
import { createClient } from "./postgres-client.js";
import { withTimeout } from "./with-timeout.js";

const REFUSALS = {
  transaction:
    "DATABASE_URL points to a connection pooler in transaction mode, which separates locks and notifications from their " +
    "sessions. Set DATABASE_DIRECT_URL to the database's own URL, or use that URL or a pool in session mode.",
  statement:
    "DATABASE_URL points to a connection pooler in statement mode, which has no transactions. " +
    "Set it to transaction mode, or use the database's own URL.",
  direct:
    "DATABASE_DIRECT_URL points to a connection pooler that separates locks and notifications from their sessions. " +
    "Set it to the database's own URL.",
  statements:
    "The connection pooler of DATABASE_URL loses prepared statements. Use PgBouncer 1.21 or newer with " +
    "max_prepared_statements, or set DATABASE_STATEMENTS=unnamed.",
  sessions:
    "The sessions of DATABASE_URL's connection pooler need a statement_timeout and bytea_output = hex: " +
    "add connect_query='set statement_timeout = 4750; set jit = off' to the database in pgbouncer.ini.",
  other: "DATABASE_URL and DATABASE_DIRECT_URL point to different databases.",
} as const;

const refuse = (reason: keyof typeof REFUSALS): never => {
  throw new ExplainedError(REFUSALS[reason]);
};

/** What is between a URL and its database: nothing that affects sessions, or a pooler in one of these modes. */
interface Pooling {
  readonly mode: "session" | "transaction" | "statement";
  /** False if a statement prepared in one session was missing in the next. */
  readonly keepsStatements: boolean;
}

/** Number of times sessions are compared: a pooler can return the same one twice by chance. */
const ROUNDS = 3;
/** Time in ms after which a session blocked by another one's transaction counts as shared. */
const PATIENCE = 2_000;

/** Returns true if the connection goes through a pooler, which reports process ids that are not the server's. */
async function isPooled(client: Sql): Promise<boolean> {
  const rows = await client<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  return rows[0]?.pid !== (rows as unknown as { state?: { pid: number } }).state?.pid;
}

/** Compares two connections while one of them has an open transaction. */
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
    // PgBouncer's response to `begin` in statement mode.
    if (["08P01", "CONNECTION_CLOSED"].includes(getFaultCode(error) ?? "")) return pooling("statement");
    throw error;
  } finally {
    await Promise.all([one, other].map((each) => each.end({ timeout: 1 })));
  }
}

/** Returns the process id of the server's session. */
async function getSession(client: Sql): Promise<number | undefined> {
  const [row] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  return row?.pid;
}

/** Runs a prepared statement. If it was lost, the driver prepares it again and notes that in `retried`. */
async function askPrepared(client: Sql): Promise<"kept" | "lost"> {
  const query = client.unsafe("select $1::text as word", ["kept"], { prepare: true });
  try {
    await query;
    return "retried" in query && query.retried ? "lost" : "kept";
  } catch (error) {
    // Missing, or already there.
    if (["26000", "42P05"].includes(getFaultCode(error) ?? "")) return "lost";
    throw error;
  }
}

/** Requires sessions that keep their locks and notifications. @throws ExplainedError */
export async function requireOwnSessions(url: string, isDirect: boolean): Promise<void> {
  const { mode } = await inspectPooling(url);
  if (mode !== "session") refuse(isDirect ? "direct" : mode);
}

export interface PoolerOptions {
  /** The database's URL through the pooler. */
  readonly url: string;
  /** The same database's direct URL. */
  readonly directUrl: string;
  /** Whether statements need a server-side timeout. */
  readonly needsTimeout: boolean;
  /** Whether statements are prepared under a name. */
  readonly needsStatements: boolean;
}

/** Requires a pooler with transactions and the needed session settings and prepared statements. @throws ExplainedError */
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
  /** Identifies a database across servers, until its server restarts. */
  readonly database: string;
  readonly bytea: string;
  readonly timeout: string;
}

/** Identifies a URL's database and reads its session settings. */
async function describeDatabase(url: string): Promise<DescribedDatabase> {
  const client = createClient(url, { max: 1 });
  try {
    const [row] = await client<DescribedDatabase[]>`
      select concat_ws(' ', pg_postmaster_start_time() at time zone 'UTC', oid) as database,
        current_setting('bytea_output') as bytea, current_setting('statement_timeout') as timeout
      from pg_database where datname = current_database()`.simple();
    if (!row) throw new Error("The database returned no identity.");
    return row;
  } finally {
    await client.end({ timeout: 1 });
  }
}

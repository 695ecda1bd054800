import postgres, { type Sql } from "postgres";
import { getFaultCode } from "./faults.js";
import { withTimeout } from "./with-timeout.js";

/** `DATABASE_URL` leads to a pooler that gives every transaction another session. */
export class PoolerError extends Error {
  override name = "PoolerError";
  constructor() {
    super(
      "DATABASE_URL leads to a connection pooler in transaction or statement mode, which separates prepared statements, " +
        "locks and notifications from their sessions. Use the database's own address, or a pool in session mode.",
    );
  }
}

/** Times that the sessions are compared: a pooler may give the same one twice by chance. */
const ROUNDS = 3;
/** Milliseconds after which a session that another one's transaction blocks counts as shared. */
const PATIENCE = 2_000;

/**
 * Refuses a pooler that separates transactions from their session. Behind any pooler, the process id that the
 * connection began with is not that of the server's process; only then are two connections compared.
 * @throws PoolerError
 */
export async function refuseTransactionPooling(client: Sql, url: string): Promise<void> {
  const rows = await client<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  if (rows[0]?.pid === (rows as unknown as { state?: { pid: number } }).state?.pid) return;
  const [one, other] = [open(url), open(url)];
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const before = await getSession(one);
      await other.unsafe("begin").simple();
      const held = await getSession(other);
      const after = await withTimeout(getSession(one), PATIENCE, () => null);
      await other.unsafe("rollback").simple();
      if (after !== before || held === before) throw new PoolerError();
    }
  } catch (error) {
    // What PgBouncer does to `begin` in statement mode.
    if (["08P01", "CONNECTION_CLOSED"].includes(getFaultCode(error) ?? "")) throw new PoolerError();
    throw error;
  } finally {
    await Promise.all([one, other].map((each) => each.end({ timeout: 1 })));
  }
}

const open = (url: string): Sql =>
  postgres(url, { max: 1, connect_timeout: 5, fetch_types: false, onnotice: () => {} });

/** Returns the id of the server's process that answers. */
async function getSession(client: Sql): Promise<number | undefined> {
  const [row] = await client<{ pid: number }[]>`select pg_backend_pid() as pid`.simple();
  return row?.pid;
}

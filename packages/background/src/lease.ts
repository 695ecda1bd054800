import type { Database } from "@minutes/db";
import { and, eq, getTableColumns, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";

/** The columns used to lease rows of a table. */
export interface LeaseColumns {
  readonly table: PgTable;
  readonly key: AnyPgColumn;
  /** When the row can be claimed: its lease ends, or its next attempt is due. */
  readonly until: AnyPgColumn;
  /** The fencing token. Each claim increments it, so a worker whose lease has expired can't write anymore. */
  readonly token?: AnyPgColumn;
}

/** A leased row. */
export interface Lease {
  readonly key: string | number | bigint;
  /** The fencing token of this claim, if the table has one. */
  readonly token?: number;
}

/** Builds the instant this many seconds from now, by the database's clock. */
export const secondsFromNow = (seconds: number): SQL =>
  sql`now() + make_interval(secs => ${seconds}::float8)`;

/**
 * Builds the condition that a row can be claimed: its lease has ended, or reaches further ahead than any does. A clock that was
 * ahead and has been set back wrote that one.
 * @param longest the longest lease or delay, in seconds
 */
export const isClaimable = (until: SQLWrapper, longest: number): SQL =>
  // Times are rounded to ms, so that a new one can be a little further ahead.
  sql`(${until} <= now() or ${until} > ${secondsFromNow(longest + 1)})`;

const findProperty = ({ table }: LeaseColumns, column: AnyPgColumn): string => {
  const found = Object.entries(getTableColumns(table)).find(([, one]) => one === column);
  if (!found) throw new TypeError("The column does not belong to the table.");
  return found[0];
};

export interface Claim {
  /** Condition for rows that can be claimed. */
  readonly where: SQL;
  readonly orderBy: SQL;
  readonly limit: number;
  /** Length of the lease in seconds. */
  readonly lease: number;
  readonly returning: Readonly<Record<string, AnyPgColumn>>;
}

/**
 * Leases free rows. Skips rows that another worker is claiming.
 * @returns the columns of `returning`, unordered. The caller vouches for the type `Row`.
 */
export async function claimLeases<Row extends object>(
  db: Database,
  columns: LeaseColumns,
  { where, orderBy, limit, lease, returning }: Claim,
): Promise<Row[]> {
  const { table, key, until, token } = columns;
  // The array is evaluated once; `in (select …)` can be planned so that it locks more rows than the limit.
  const due = sql`array(select ${key} from ${table} where ${where} order by ${orderBy} limit ${limit}::int for update skip locked)`;
  const rows = await db
    .update(table)
    .set({
      [findProperty(columns, until)]: secondsFromNow(lease),
      ...(token && { [findProperty(columns, token)]: sql`${token} + 1` }),
    })
    .where(sql`${key} = any(${due})`)
    .returning(returning);
  return rows as Row[];
}

/**
 * Sets the remaining time of leases in seconds: the lease length renews; 0 releases; another value delays the next
 * attempt. Leases taken over by another worker stay unchanged.
 * @returns the number of leases the worker still holds
 */
export async function extendLeases(
  db: Database,
  columns: LeaseColumns,
  leases: readonly Lease[],
  seconds: number,
  where?: SQL,
): Promise<number> {
  if (leases.length === 0) return 0;
  const { table, key, until, token } = columns;
  const own = leases.map((lease) => and(eq(key, lease.key), token && eq(token, lease.token)));
  const rows = await db
    .update(table)
    .set({ [findProperty(columns, until)]: secondsFromNow(seconds) })
    .where(and(or(...own), where))
    .returning({ key });
  return rows.length;
}

/**
 * Renews a lease three times per lease length.
 * @param lease length of the lease in seconds
 * @param onFault called when a renewal failed; the next one is attempted on schedule
 * @returns a function that stops renewing. It waits for a renewal in flight, which could otherwise overwrite the
 * caller's next write.
 */
export function startHeartbeat(
  renew: () => Promise<unknown>,
  lease: number,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  let renewal: Promise<unknown> = Promise.resolve();
  const timer = setInterval(
    () => {
      renewal = renewal.then(renew).catch(onFault);
    },
    (lease * 1000) / 3,
  );
  return async () => {
    clearInterval(timer);
    await renewal;
  };
}

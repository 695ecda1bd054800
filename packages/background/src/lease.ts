import type { Database } from "@minutes/db";
import { and, eq, getTableColumns, or, type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";

/** The columns with which workers lease rows of a table. */
export interface LeaseColumns {
  readonly table: PgTable;
  readonly key: AnyPgColumn;
  /** When the row may be claimed: its lease ends then, or its next attempt is due. */
  readonly until: AnyPgColumn;
  /** The fencing token. It goes up with each claim, so that a worker whose lease has ended changes nothing more. */
  readonly token?: AnyPgColumn;
}

/** A leased row. */
export interface Lease {
  readonly key: string | number | bigint;
  /** Where the table has a fencing token: the one of this claim. */
  readonly token?: number;
}

/** Builds the instant in so many seconds, by the clock of the database. */
export const secondsFromNow = (seconds: number): SQL =>
  sql`now() + make_interval(secs => ${seconds}::float8)`;

const findProperty = ({ table }: LeaseColumns, column: AnyPgColumn): string => {
  const found = Object.entries(getTableColumns(table)).find(([, one]) => one === column);
  if (!found) throw new TypeError("The column is not of the table.");
  return found[0];
};

export interface Claim {
  /** Which rows may be claimed. */
  readonly where: SQL;
  readonly orderBy: SQL;
  readonly limit: number;
  /** Length of the lease in seconds. */
  readonly lease: number;
  readonly returning: Readonly<Record<string, AnyPgColumn>>;
}

/**
 * Leases rows that no other worker has. Passes over rows that another worker is claiming.
 * @returns the columns of `returning`, rows in no order. `Row` is the caller's promise about their types.
 */
export async function claimLeases<Row extends object>(
  db: Database,
  columns: LeaseColumns,
  { where, orderBy, limit, lease, returning }: Claim,
): Promise<Row[]> {
  const { table, key, until, token } = columns;
  // An array is made once; an `in (select …)` may be planned so that it locks more rows than the limit.
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
 * Sets the end of leases: a worker renews with the length of a lease, and releases with 0 or with the seconds after
 * which another attempt may be made. Leases that another worker has taken over stay as they are.
 * @returns how many leases the worker still has.
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

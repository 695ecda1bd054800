import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";
import { toText } from "./copy.js";
import type { PlannedTable } from "./plan.js";
import { readRow } from "./rows.js";

/** What a table holds, reduced to what can be compared. */
interface Digest {
  readonly rows: number;
  /** The sum of the hashes of all rows, which does not depend on their order. */
  readonly checksum: string;
}

/** A table of the source beside the same table of the destination. */
export interface ComparedTable {
  readonly table: string;
  readonly source: Digest;
  readonly destination: Digest;
  /** Also true for a table that a crash empties: what counts requests is lost with one, and is not missed. */
  readonly equal: boolean;
}

/** Computes the digest of a table: rows as texts, in the same way on both engines. */
async function digest(db: Database, table: PlannedTable): Promise<Digest> {
  const values = sql.join(
    table.columns.map(({ name }) => toText(table, name)),
    sql`, `,
  );
  const { rows, checksum } = await readRow<{ rows: string; checksum: string }>(
    db,
    sql`select count(*)::text as rows,
        coalesce(sum(('x' || left(md5(r.line), 16))::bit(64)::bigint::numeric), 0)::text as checksum
      from (select row(${values})::text as line from ${sql.identifier(table.name)}) r`,
  );
  return { rows: Number(rows), checksum };
}

/** Compares a table of both databases. */
export async function compareTable(
  source: Database,
  destination: Database,
  table: PlannedTable,
): Promise<ComparedTable> {
  const there = await digest(source, table);
  const here = await digest(destination, { ...table, cleared: [] });
  const equal = !table.isLogged || (there.rows === here.rows && there.checksum === here.checksum);
  return { table: table.name, source: there, destination: here, equal };
}

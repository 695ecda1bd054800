import type { Database } from "@minutes/db";
import { sql } from "drizzle-orm";
import { toText } from "./batch.js";
import { readRow, type Table } from "./catalog.js";

/** A table's content, reduced to a comparable digest. */
interface Digest {
  readonly rows: number;
  /** Sum of the hashes of all rows, independent of their order. */
  readonly checksum: string;
}

/** A table of the source compared with the same table of the destination. */
export interface ComparedTable {
  readonly table: string;
  readonly source: Digest;
  readonly destination: Digest;
  readonly equal: boolean;
}

/** Computes the digest of a table from its rows as text, identically on both engines. */
async function digest(db: Database, { name, columns }: Table): Promise<Digest> {
  const values = columns.map((column) => toText(column.name));
  const { rows, checksum } = await readRow<{ rows: string; checksum: string }>(
    db,
    sql`select count(*)::text as rows,
        coalesce(sum(('x' || left(md5(r.line), 16))::bit(64)::bigint::numeric), 0)::text as checksum
      from (select row(${sql.join(values, sql`, `)})::text as line from ${sql.identifier(name)}) r`,
  );
  return { rows: Number(rows), checksum };
}

/** Compares a table between both databases. */
export async function compareTable(
  source: Database,
  destination: Database,
  table: Table,
): Promise<ComparedTable> {
  const [there, here] = [await digest(source, table), await digest(destination, table)];
  const equal = there.rows === here.rows && there.checksum === here.checksum;
  return { table: table.name, source: there, destination: here, equal };
}

import { getTableColumns, type SQL, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Database } from "./database.js";
import { executePrepared } from "./execute-prepared.js";
import { type ArrayItem, writeArray } from "./write-array.js";

/** Rows of one statement: the event loop is not held up by writing them. */
const BATCH = 1_000;

/**
 * Inserts many rows, up to a thousand with one statement. They are sent as one array for each column, which costs both
 * sides less than objects, and far less than a parameter for each field. All rows have the fields of the first; a column
 * that is left out gets its default.
 */
export async function insertRows<Table extends PgTable>(
  tx: Database,
  table: Table,
  rows: readonly Table["$inferInsert"][],
): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const all = getTableColumns(table);
  const columns = Object.keys(first).flatMap((field) => {
    const column = all[field];
    // The columns of the statement have collations of their own.
    return column
      ? [{ field, name: sql.identifier(column.name), type: toElementType(column.getSQLType()) }]
      : [];
  });
  const list = (parts: readonly SQL[]) => sql.join([...parts], sql`, `);
  const names = list(columns.map(({ name }) => sql`${name}`));
  for (let at = 0; at < rows.length; at += BATCH) {
    const batch = rows.slice(at, at + BATCH) as Record<string, ArrayItem>[];
    const arrays = columns.map(
      ({ field, type }) => sql`${writeArray(batch.map((row) => row[field] ?? null))}::${sql.raw(type)}[]`,
    );
    await executePrepared(tx, sql`insert into ${table} (${names}) select * from unnest(${list(arrays)})`);
  }
}

/** Takes the collation away from a type. */
const toElementType = (type: string): string => type.replace(/ COLLATE .*/, "");

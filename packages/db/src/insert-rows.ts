import { getTableColumns, is, SQL, sql } from "drizzle-orm";
import type { PgInsertValue, PgTable } from "drizzle-orm/pg-core";
import type { Database } from "./database.js";
import { type ArrayItem, executePrepared, writeArray } from "./statement.js";

/** Maximum rows and characters per statement. A larger one would block the event loop: the embedded engine compresses long texts. */
const BATCH = { rows: 1_000, characters: 256 * 1024 };

/**
 * Inserts many rows, up to a thousand rows or 256 KiB of text per statement. Each column is sent as one array, which is
 * cheaper than objects and much cheaper than one parameter per field. All rows have the fields of the first; omitted
 * columns get their default.
 * @param toRow converts an item to a row, one batch at a time. A SQL value of the first row is that of all rows.
 * @param onConflict `nothing` skips rows that violate a unique constraint
 */
export async function insertRows<Table extends PgTable, Item>(
  tx: Database,
  table: Table,
  items: readonly Item[],
  toRow: (item: Item, position: number) => PgInsertValue<Table>,
  onConflict: "fail" | "nothing" = "fail",
): Promise<void> {
  const [first] = items;
  if (first === undefined) return;
  const all = getTableColumns(table);
  const given = Object.entries(toRow(first, 0)).flatMap(([field, value]) => {
    const column = all[field];
    // The statement's columns have their own collations.
    return column
      ? [{ field, value, name: sql.identifier(column.name), type: toElementType(column.getSQLType()) }]
      : [];
  });
  const list = (parts: readonly SQL[]) => sql.join([...parts], sql`, `);
  const fixed = given.filter(({ value }) => is(value, SQL));
  const columns = given.filter(({ value }) => !is(value, SQL));
  const names = list([...columns, ...fixed].map(({ name }) => sql`${name}`));
  const values = list([sql`r.*`, ...fixed.map(({ value }) => sql`${value}`)]);
  const skip = sql.raw(onConflict === "nothing" ? "on conflict do nothing" : "");
  for (let at = 0; at < items.length; ) {
    const batch: Record<string, ArrayItem>[] = [];
    let characters = 0;
    for (; at < items.length && batch.length < BATCH.rows; at++) {
      const row = toRow(items[at] as Item, at) as Record<string, ArrayItem>;
      for (const value of Object.values(row)) if (typeof value === "string") characters += value.length;
      if (batch.length > 0 && characters > BATCH.characters) break;
      batch.push(row);
    }
    const [row = {}] = batch;
    if (batch.length === 1 && characters > BATCH.characters) {
      // A long text alone, which an array would escape.
      const cells = columns.map(({ field, type }) => sql`${row[field] ?? null}::${sql.raw(type)}`);
      const all = list([...cells, ...fixed.map(({ value }) => sql`${value}`)]);
      await tx.execute(sql`insert into ${table} (${names}) values (${all}) ${skip}`);
      continue;
    }
    const arrays = columns.map(
      ({ field, type }) => sql`${writeArray(batch.map((row) => row[field] ?? null))}::${sql.raw(type)}[]`,
    );
    await executePrepared(
      tx,
      sql`insert into ${table} (${names}) select ${values} from unnest(${list(arrays)}) as r ${skip}`,
    );
  }
}

/** Removes the collation from a type. */
const toElementType = (type: string): string => type.replace(/ COLLATE .*/, "");

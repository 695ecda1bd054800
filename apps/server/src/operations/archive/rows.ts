import type { Database } from "@minutes/db";
import type { SQL } from "drizzle-orm";

/** Runs a statement and returns its rows, whose values are text: the engines' drivers parse other types differently. */
export async function readRows<Row extends Record<string, string | null>>(
  db: Database,
  statement: SQL,
): Promise<Row[]> {
  const result = (await db.execute(statement)) as unknown;
  return Array.isArray(result) ? (result as Row[]) : (result as { rows: Row[] }).rows;
}

/** Runs a statement that returns one row. @throws Error if it returns none */
export async function readRow<Row extends Record<string, string | null>>(
  db: Database,
  statement: SQL,
): Promise<Row> {
  const [row] = await readRows<Row>(db, statement);
  if (!row) throw new Error("The statement returned no row.");
  return row;
}

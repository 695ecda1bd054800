import type { Database } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { isFreeText } from "./free-texts.js";
import { containsAny, toTexts } from "./sought.js";

/** A column that contains a value, and the number of rows. */
export interface TextPlace {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
  /** True if erasure leaves the column alone. A match in any other column means that the erasure is incomplete. */
  readonly isFreeText: boolean;
}

/** A table's columns that contain text. Arrays are searched in printed form. */
interface TextColumns {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Finds all text columns of the schema. None is listed by hand, so a new one can't be forgotten. */
async function findTextColumns(db: Database): Promise<TextColumns[]> {
  return db
    .select({
      table: sql<string>`c.table_name::text`,
      columns: sql<string[]>`json_agg(c.column_name::text order by c.column_name)`,
    })
    .from(sql`information_schema.columns c`)
    .where(
      sql`c.table_schema = 'public' and (c.data_type in ('text', 'character varying', 'json', 'jsonb')
        or (c.data_type = 'ARRAY' and c.udt_name in ('_text', '_varchar')))`,
    )
    .groupBy(sql`c.table_name`)
    .orderBy(sql`c.table_name`);
}

/** Lists the text columns with values that match a condition, and counts their rows. Scans all tables once. */
export async function scan(db: Database, condition: (value: SQL) => SQL): Promise<TextPlace[]> {
  const places: TextPlace[] = [];
  for (const { table, columns } of await findTextColumns(db)) {
    const counts = columns.map(
      (column) => sql`count(*) filter (where ${condition(sql`${sql.identifier(column)}::text`)})`,
    );
    const [row] = await db
      .select({ counts: sql<number[]>`json_build_array(${sql.join(counts, sql`, `)})` })
      .from(sql`${sql.identifier(table)}`);
    columns.forEach((column, at) => {
      const rows = row?.counts[at] ?? 0;
      if (rows > 0) places.push({ table, column, rows, isFreeText: isFreeText(table, column) });
    });
  }
  return places;
}

/** Finds some texts in lower case as whole values, also of JSON, ignoring case. */
export const findValues = (db: Database, texts: readonly string[]): Promise<TextPlace[]> => {
  const inJson = texts.map((text) => JSON.stringify(text));
  return scan(
    db,
    (value) => sql`(lower(${value}) = any(${toTexts(texts)}) or ${containsAny(value, inJson)})`,
  );
};

/** Finds columns whose value is exactly an id. */
export const findId = (db: Database, id: string): Promise<TextPlace[]> =>
  scan(db, (value) => sql`${value} = ${id}::text`);

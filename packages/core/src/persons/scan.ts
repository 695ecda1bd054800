import type { Database } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

/** A column in which something stands, and in how many rows. */
export interface TextPlace {
  readonly table: string;
  readonly column: string;
  readonly rows: number;
}

/** The columns of a table that hold text. Those of arrays count as their printed form. */
interface TextColumns {
  readonly table: string;
  readonly columns: readonly string[];
}

/** Finds all columns of text in the schema. None is listed by hand, so that a new one is not forgotten. */
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

/** Counts, for each column of text, the rows whose value fulfils a condition. Reads all tables once. */
async function scan(db: Database, condition: (value: SQL) => SQL): Promise<TextPlace[]> {
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
      if (rows > 0) places.push({ table, column, rows });
    });
  }
  return places;
}

/** Finds where an e-mail address stands, alone or within a text, in whatever case. */
export const findAddress = (db: Database, email: string): Promise<TextPlace[]> =>
  scan(db, (value) => sql`strpos(lower(${value}), ${email.toLowerCase()}::text) > 0`);

/** Finds where an id stands alone. */
export const findId = (db: Database, id: string): Promise<TextPlace[]> =>
  scan(db, (value) => sql`${value} = ${id}::text`);

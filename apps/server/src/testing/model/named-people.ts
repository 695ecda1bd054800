import { type Database, schema } from "@minutes/db";
import { getTableName, is, type SQL, sql } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";

/** A column that names people. */
export interface NamingColumn {
  /** Table and column. */
  readonly place: string;
  readonly rows: number;
  /** Rows that name a person of another workspace. Null: nothing says which workspace the row belongs to. */
  readonly strangers: number | null;
}

const { meetings, people, peopleWork } = schema;

/**
 * Finds all columns that name people, and those of another workspace. None is listed by hand: every text column of the schema
 * is searched for the IDs of the directories. Meetings that wait to be mapped after a move don't count.
 */
export async function findNamedPeople(db: Database): Promise<NamingColumn[]> {
  const tables = Object.values(schema).filter((one) => is(one, PgTable));
  const selects = tables.flatMap((table) => {
    const { columns } = getTableConfig(table);
    const names = columns.map(({ name }) => name);
    const workspace = findWorkspace(names);
    const waits = names.includes("meeting_id")
      ? sql`x.meeting_id in (select w.meeting_id from ${peopleWork} w)`
      : sql`false`;
    return columns
      .filter((column) => column.getSQLType().startsWith("text") && !column.getSQLType().endsWith("[]"))
      .map(
        ({ name }) => sql`
          select ${`${getTableName(table)}.${name}`}::text as place, count(*)::int as rows,
            ${workspace && sql`count(*) filter (where not ${waits} and d.workspace_id <> ${workspace})::int`} as strangers
          from ${table} x join ${people} d on d.id = x.${sql.identifier(name)}`,
      );
  });
  const found = await db
    .select({
      place: sql<string>`place`,
      rows: sql<number>`rows`,
      strangers: sql<number | null>`strangers`,
    })
    .from(sql`(${sql.join(selects, sql` union all `)}) named`)
    .where(sql`rows > 0`)
    .orderBy(sql`place`);
  return found;
}

/** Builds the workspace of a row `x`; null if the columns don't tell. */
function findWorkspace(columns: readonly string[]): SQL | null {
  if (columns.includes("workspace_id")) return sql`x.workspace_id`;
  if (columns.includes("meeting_id"))
    return sql`(select m.workspace_id from ${meetings} m where m.id = x.meeting_id)`;
  return null;
}

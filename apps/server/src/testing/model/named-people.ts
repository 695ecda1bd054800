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
 * is searched for the IDs of the directories. Meetings that wait to be mapped after a move don't count, nor does the audit log:
 * it is history, which no statement joins with people. The ID of a speaker goes with their meeting, so that once a workspace
 * has forgotten them, the next one can have them in its directory.
 */
export async function findNamedPeople(db: Database): Promise<NamingColumn[]> {
  const found: NamingColumn[] = [];
  for (const table of Object.values(schema).filter((one) => is(one, PgTable))) {
    if (getTableName(table) === "audit_log") continue;
    const selects = selectByColumn(table);
    if (selects.length === 0) continue;
    const rows = await db
      .select({
        place: sql<string>`place`,
        rows: sql<number>`rows`,
        strangers: sql<number | null>`strangers`,
      })
      .from(sql`(${sql.join(selects, sql` union all `)}) named`)
      .where(sql`rows > 0`);
    found.push(...rows);
  }
  return found.toSorted((a, b) => (a.place < b.place ? -1 : 1));
}

/** Selects, for each text column of a table, the rows that name a person. */
function selectByColumn(table: PgTable): SQL[] {
  const { columns } = getTableConfig(table);
  const names = columns.map(({ name }) => name);
  const hasMeeting = names.includes("meeting_id");
  const workspace = names.includes("workspace_id")
    ? sql`x.workspace_id`
    : hasMeeting
      ? sql`m.workspace_id`
      : null;
  const waits = hasMeeting ? sql`w.meeting_id is not null` : sql`false`;
  // A distributed table can only be joined with the results of subqueries.
  const joins = hasMeeting
    ? sql`left join (select id, workspace_id from ${meetings} offset 0) m on m.id = x.meeting_id
        left join (select meeting_id from ${peopleWork} offset 0) w on w.meeting_id = x.meeting_id`
    : sql``;
  return columns
    .filter((column) => column.getSQLType().startsWith("text") && !column.getSQLType().endsWith("[]"))
    .map(
      ({ name }) => sql`
        select ${`${getTableName(table)}.${name}`}::text as place, count(*)::int as rows,
          ${workspace && sql`count(*) filter (where not ${waits} and d.workspace_id <> ${workspace})::int`} as strangers
        from ${table} x
        join (select id, workspace_id from ${people} offset 0) d on d.id = x.${sql.identifier(name)} ${joins}`,
    );
}

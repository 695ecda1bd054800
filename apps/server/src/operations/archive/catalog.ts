import { type Database, MOVE_TABLE, MOVED_TABLE } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

/** A column as described by the database. */
export interface Column {
  readonly name: string;
  /** Including modifiers, such as `timestamp(3) with time zone`. */
  readonly type: string;
  /** True for a type of variable length. */
  readonly isLong: boolean;
}

/** A table with all its columns, sorted by name. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Primary key columns in key order. */
  readonly key: readonly string[];
  /** Tables referenced by its foreign keys. */
  readonly references: readonly string[];
  readonly hasTriggers: boolean;
}

/** Everything in the database that holds data. Unlogged tables are omitted: a crash of the engine empties them anyway. So are uploads of audio. */
export interface Catalog {
  /** Each table comes after those it references. */
  readonly tables: readonly Table[];
  readonly sequences: readonly string[];
}

/** Uploaded recordings on their way to a meeting. Their audio is in files that stay where they are. */
const PASSING = "transcriptions";

/** Reads a database's tables and sequences. Otherwise nothing is listed by hand, so nothing can be forgotten. */
export async function readCatalog(db: Database): Promise<Catalog> {
  const { tables, sequences } = await readRow<{ tables: string; sequences: string }>(
    db,
    sql`select
      (select coalesce(json_agg(json_build_object(
          'name', c.relname,
          'hasTriggers', exists (select from pg_trigger g where g.tgrelid = c.oid and not g.tgisinternal),
          'columns', (
            select json_agg(json_build_object(
              'name', a.attname, 'type', format_type(a.atttypid, a.atttypmod), 'isLong', a.attlen < 0
            ) order by a.attname)
            from pg_attribute a
            where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''),
          'key', (
            select json_agg(a.attname order by array_position(i.indkey::int2[], a.attnum))
            from pg_index i join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
            where i.indrelid = c.oid and i.indisprimary),
          'references', (
            select coalesce(json_agg(distinct r.relname), '[]')
            from pg_constraint f join pg_class r on r.oid = f.confrelid
            where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid)
        ) order by c.relname), '[]')::text
        from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relpersistence = 'p'
          and c.relname not in (${MOVE_TABLE}::text, ${MOVED_TABLE}::text, ${PASSING}::text)
      ) as tables,
      (select coalesce(json_agg(c.relname order by c.relname), '[]')::text from pg_class c
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'S') as sequences`,
  );
  return {
    tables: sortByReferences(JSON.parse(tables) as Table[]),
    sequences: JSON.parse(sequences) as string[],
  };
}

/**
 * Sorts tables so that each comes after those it references.
 * @throws Error for circular references: such rows can't be inserted table by table
 */
export function sortByReferences<Item extends Pick<Table, "name" | "references">>(
  tables: readonly Item[],
): Item[] {
  const sorted: Item[] = [];
  const placed = new Set<string>();
  let waiting = [...tables];
  while (waiting.length > 0) {
    const ready = waiting.filter(({ references }) => references.every((name) => placed.has(name)));
    if (ready.length === 0) throw new Error("Foreign keys form a circle.");
    sorted.push(...ready);
    for (const { name } of ready) placed.add(name);
    waiting = waiting.filter(({ name }) => !placed.has(name));
  }
  return sorted;
}

/** Counts the rows of all these tables. */
export async function countRows(db: Database, tables: readonly Pick<Table, "name">[]): Promise<number> {
  const counts = tables.map(({ name }) => sql`(select count(*) from ${sql.identifier(name)})`);
  const { rows } = await readRow<{ rows: string }>(
    db,
    sql`select (${sql.join(counts, sql` + `)})::text as rows`,
  );
  return Number(rows);
}

/** Returns the tables that have rows. */
export async function findFilledTables(
  db: Database,
  tables: readonly Pick<Table, "name">[],
): Promise<string[]> {
  if (tables.length === 0) return [];
  const filled = await readRows<{ name: string }>(
    db,
    sql.join(
      tables.map(
        ({ name }) => sql`select ${name}::text as name where exists (select 1 from ${sql.identifier(name)})`,
      ),
      sql` union all `,
    ),
  );
  return filled.map(({ name }) => name);
}

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

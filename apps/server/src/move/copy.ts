import { type Database, MOVE_TABLE } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { PlannedTable } from "./plan.js";
import { readRow, readRows } from "./rows.js";

/** Rows of one batch, at most. */
const BATCH_ROWS = 5_000;
/** Stored bytes after which a batch ends; the row that passes the limit is its last. */
const BATCH_BYTES = 2_000_000;

const names = (columns: readonly string[]) =>
  sql.join(
    columns.map((name) => sql.identifier(name)),
    sql`, `,
  );
const asText = (column: string) => sql`${sql.identifier(column)}::text`;
const markTable = sql.identifier(MOVE_TABLE);

/** Builds a column's value as text. Both engines print every type of the schema in the same way, and read it back exactly. */
export const toText = ({ cleared }: PlannedTable, column: string): SQL =>
  cleared.includes(column) ? sql`null::text` : asText(column);

/** Selects the batch after a key, as one JSON text. `after` is the JSON array of a key's values; null: from the start. */
function selectBatch(table: PlannedTable, after: string | null): SQL {
  const key = names(table.key);
  const types = new Map(table.columns.map(({ name, type }) => [name, type]));
  const castKey = (column: string, place: number) =>
    sql`(${after}::text::json->>${sql.raw(String(place))})::${sql.raw(types.get(column) ?? "text")}`;
  const begin = after === null ? sql`` : sql`where (${key}) > (${sql.join(table.key.map(castKey), sql`, `)})`;
  const sizes = table.columns
    .filter(({ isLong }) => isLong)
    .map(({ name }) => sql`coalesce(pg_column_size(${sql.identifier(name)}), 0)`);
  const size = sql.join([sql.raw(String(8 * table.columns.length)), ...sizes], sql` + `);
  const values = table.columns.map(
    ({ name }, place) => sql`${toText(table, name)} as ${sql.identifier(String(place))}`,
  );
  return sql`
    with page as materialized (
      select t.*, sum(${size}) over (order by ${key} rows between unbounded preceding and 1 preceding) as "size before"
      from (select * from ${sql.identifier(table.name)} ${begin} order by ${key} limit ${sql.raw(String(BATCH_ROWS))}) t
    ), batch as materialized (
      select * from page where coalesce("size before", 0) < ${sql.raw(String(BATCH_BYTES))}
    )
    select (select count(*)::text from batch) as count,
      ((select count(*) from page) = (select count(*) from batch)
        and (select count(*) from page) < ${sql.raw(String(BATCH_ROWS))})::text as ended,
      (select json_agg(b)::text from (select ${sql.join(values, sql`, `)} from batch) b) as rows,
      (select json_build_array(${sql.join(table.key.map(asText), sql`, `)})::text
        from batch order by ${sql.join(
          table.key.map((name) => sql`${sql.identifier(name)} desc`),
          sql`, `,
        )} limit 1) as last`;
}

/** Inserts the rows of a batch, with the values that identity columns had. */
function insertBatch(table: PlannedTable, rows: string): SQL {
  const values = table.columns.map(
    ({ type }, place) => sql`r.${sql.identifier(String(place))}::${sql.raw(type)}`,
  );
  const shape = table.columns.map((_, place) => sql`${sql.identifier(String(place))} text`);
  return sql`
    insert into ${sql.identifier(table.name)} (${names(table.columns.map(({ name }) => name))})
    overriding system value
    select ${sql.join(values, sql`, `)}
    from json_to_recordset(${rows}::text::json) as r(${sql.join(shape, sql`, `)})`;
}

/** Is called after each batch with the number of its rows. */
export type OnBatch = (table: string, rows: number) => void | Promise<void>;

/** How far a table is: the key of its last row that is copied; null before the first. */
interface Mark {
  readonly after: string | null;
  readonly done: boolean;
}

/** Reads how far all tables are. */
export async function readMarks(destination: Database): Promise<ReadonlyMap<string, Mark>> {
  const rows = await readRows<{ name: string; after: string | null; done: string }>(
    destination,
    sql`select name, after, done::text as done from ${markTable}`,
  );
  return new Map(rows.map(({ name, after, done }) => [name, { after, done: done === "true" }]));
}

/**
 * Copies the rows of a table that the destination lacks. A batch and the mark of how far the table is are committed
 * together, so that a repeat goes on behind the last batch.
 */
export async function copyTable(
  source: Database,
  destination: Database,
  table: PlannedTable,
  mark: Mark,
  onBatch: OnBatch,
): Promise<void> {
  let { after, done } = mark;
  while (!done) {
    const { count, ended, rows, last } = await readRow<{
      count: string;
      ended: string;
      rows: string | null;
      last: string | null;
    }>(source, selectBatch(table, after));
    done = ended === "true";
    after = last;
    await destination.transaction(async (tx) => {
      if (rows !== null) await tx.execute(insertBatch(table, rows));
      await tx.execute(
        sql`update ${markTable} set after = ${last}::text, done = ${done}::boolean where name = ${table.name}`,
      );
    });
    await onBatch(table.name, Number(count));
  }
}

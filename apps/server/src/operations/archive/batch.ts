import { type SQL, sql } from "drizzle-orm";
import type { Table } from "./catalog.js";

/** Maximum number of rows per batch. */
const BATCH_ROWS = 5_000;
/** Maximum stored bytes per batch; the row that exceeds it is the last one. */
const BATCH_BYTES = 2_000_000;

/** Rows of a table in key order. */
export type Batch = {
  /** Number of rows, as digits. */
  readonly count: string;
  /** `true` if no rows follow. */
  readonly ended: string;
  /** One JSON object per line, whose values are the columns' text representations or null; null for an empty batch. */
  readonly rows: string | null;
  /** The last row's key as a JSON array, to continue from; null for an empty batch. */
  readonly last: string | null;
};

const names = (columns: readonly string[]) =>
  sql.join(
    columns.map((name) => sql.identifier(name)),
    sql`, `,
  );
/** Casts a column to text. Both engines print every type of the schema identically, and parse it back exactly. */
export const toText = (column: string): SQL => sql`${sql.identifier(column)}::text`;

/** Selects the batch after a key. `after` is a JSON array of key values; null starts from the beginning. */
export function selectBatch(table: Table, after: string | null): SQL {
  const key = names(table.key);
  const types = new Map(table.columns.map(({ name, type }) => [name, type]));
  const castKey = (column: string, place: number) =>
    sql`(${after}::text::json->>${sql.raw(String(place))})::${sql.raw(types.get(column) ?? "text")}`;
  const begin = after === null ? sql`` : sql`where (${key}) > (${sql.join(table.key.map(castKey), sql`, `)})`;
  const sizes = table.columns
    .filter(({ isLong }) => isLong)
    .map(({ name }) => sql`coalesce(pg_column_size(${sql.identifier(name)}), 0)`);
  const size = sql.join([sql.raw(String(8 * table.columns.length)), ...sizes], sql` + `);
  const values = table.columns.map(({ name }) => sql`${toText(name)} as ${sql.identifier(name)}`);
  const order = (direction: "asc" | "desc") =>
    sql.join(
      table.key.map((name) => sql`batch.${sql.identifier(name)} ${sql.raw(direction)}`),
      sql`, `,
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
      (select string_agg(row_to_json(b)::text, e'\\n')
        from (select ${sql.join(values, sql`, `)} from batch order by ${order("asc")}) b) as rows,
      (select json_build_array(${sql.join(table.key.map(toText), sql`, `)})::text
        from batch order by ${order("desc")} limit 1) as last`;
}

/** Inserts the rows of a batch with their original identity values. */
export function insertBatch(table: Pick<Table, "name" | "columns">, rows: string): SQL {
  const columns = names(table.columns.map(({ name }) => name));
  const values = table.columns.map(({ name, type }) => sql`r.${sql.identifier(name)}::${sql.raw(type)}`);
  const shape = table.columns.map(({ name }) => sql`${sql.identifier(name)} text`);
  // JSON values contain no raw line breaks.
  const list = `[${rows.replaceAll("\n", ",")}]`;
  return sql`
    insert into ${sql.identifier(table.name)} (${columns})
    overriding system value
    select ${sql.join(values, sql`, `)}
    from json_to_recordset(${list}::text::json) as r(${sql.join(shape, sql`, `)})`;
}

/**
 * A database function through which statements read tables that can be distributed. Citus can't join such a table with
 * local ones in the ways our statements do. On one server, PostgreSQL inlines `query`, so the function is free; on a
 * distributed table, `body` queries the workers.
 */
export interface SqlFunction {
  readonly name: string;
  /** The table it reads. */
  readonly table: string;
  readonly parameters: string;
  readonly columns: string;
  /** The query for a single server. */
  readonly query: string;
  /** PL/pgSQL body for a distributed table. */
  readonly body: string;
}

const SEGMENT_COLUMNS =
  '"position" integer, speaker_id text, text text, start_seconds double precision, end_seconds double precision';
const segments = 'x."position", x.speaker_id, x.text, x.start_seconds, x.end_seconds';

/** Maximum attempts to find a transcript that must exist, and the delay between them in seconds. */
const ATTEMPTS = 50;
const PAUSE = 0.02;

/**
 * Builds a body that reads segments. A meeting becomes visible on the coordinator slightly before its transaction's
 * rows on the workers, and after a worker's crash until they are restored. A meeting whose transcript is indexed has segments: the
 * function waits for them and finally raises a retryable error.
 */
const writeSegmentBody = (condition: string): string => `
begin
  for attempt in 1..${ATTEMPTS} loop
    return query select ${segments} from transcript_segments x where ${condition};
    if found or not exists (select from search_documents d where d.meeting_id = meeting and d.first_chunk = 0) then
      return;
    end if;
    perform pg_sleep(${PAUSE});
  end loop;
  raise exception 'the transcript can''t be read yet' using errcode = 'lock_not_available';
end`;

/** A lookup of rows by an array of distribution keys, one key at a time. */
interface Lookup {
  readonly table: string;
  /** The distribution column, and the array parameter of its values. */
  readonly column: string;
  readonly keys: string;
  /** Selects from `o`, a key and its index `nth`, and from `y`, its rows. */
  readonly select: string;
  /** Selects the rows `y` of a key `o.key` from table `x`, on a condition. */
  readonly rows: (where: string) => string;
}

/**
 * Writes a lookup for both placements. A distributed table is queried shard by shard, each for its own keys only: in one query
 * for all shards, each would look for the keys of all others too, which takes much longer.
 */
function writeLookup({
  table,
  column,
  keys,
  select,
  rows,
}: Lookup): Pick<SqlFunction, "query" | "body" | "table"> {
  // `offset 0` keeps the planner from a join that scans the whole table.
  const join = (source: string, where: string) => `select ${select}
  from ${source} o (key, nth)
  cross join lateral (${rows(where)} offset 0) y`;
  const isOfKey = `x.${column} = o.key`;
  return {
    table,
    query: join(`unnest(${keys}) with ordinality`, isOfKey),
    // Citus finds the shard by a condition on constant keys. Written as an `or`, it is no index condition for the planner, which
    // looks up `o.key` instead.
    body: `
declare
  part ${keys}%type;
  nths bigint[];
begin
  for part, nths in
    select array_agg(o.key), array_agg(o.nth) from unnest(${keys}) with ordinality o (key, nth)
    group by get_shard_id_for_distribution_column('${table}', o.key)
  loop
    return query ${join("unnest(part, nths)", `${isOfKey} and (x.${column} = any (part) or x.${column} = part[1])`)};
  end loop;
end`,
  };
}

/**
 * All functions. Those with array parameters return the index `nth` into the array, from 1, so the caller needs no join
 * to find the element.
 */
export const SQL_FUNCTIONS: readonly SqlFunction[] = [
  {
    name: "read_segments",
    table: "transcript_segments",
    parameters: "meeting text",
    columns: SEGMENT_COLUMNS,
    query: `select ${segments} from transcript_segments x where x.meeting_id = meeting`,
    body: writeSegmentBody("x.meeting_id = meeting"),
  },
  {
    name: "read_segments_between",
    table: "transcript_segments",
    parameters: "meeting text, first_position integer, last_position integer",
    columns: SEGMENT_COLUMNS,
    query: `select ${segments} from transcript_segments x
  where x.meeting_id = meeting and x."position" between first_position and last_position`,
    body: `
begin
  return query select ${segments} from transcript_segments x
    where x.meeting_id = meeting and x."position" between first_position and last_position;
end`,
  },
  {
    name: "find_chunks",
    parameters: "meetings text[], positions integer[]",
    columns: "nth bigint, text text, first_turn integer, last_turn integer",
    ...writeLookup({
      table: "search_chunks",
      column: "meeting_id",
      keys: "meetings",
      select: "o.nth, y.text, y.first_turn, y.last_turn",
      rows: (where) => `select x.text, x.first_turn, x.last_turn from search_chunks x
    where ${where} and x."position" = positions[o.nth]`,
    }),
  },
  {
    name: "find_postings",
    parameters: "documents integer[], terms text[]",
    columns:
      'nth bigint, term text, chunks smallint, best smallint, "first" smallint, weights bytea, places integer[]',
    ...writeLookup({
      table: "search_postings",
      column: "document",
      keys: "documents",
      select: 'o.nth, y.term, y.chunks, y.best, y."first", y.weights, y.places',
      rows: (where) => `select x.* from search_postings x where ${where} and x.term = any (terms)`,
    }),
  },
  {
    name: "find_speakers",
    parameters: "documents integer[]",
    columns: 'nth bigint, name text[], "first" smallint, shares bytea',
    ...writeLookup({
      table: "search_speakers",
      column: "document",
      keys: "documents",
      select: 'o.nth, y.name, y."first", y.shares',
      rows: (where) => `select x.* from search_speakers x where ${where}`,
    }),
  },
  {
    name: "find_similarities",
    parameters: "documents integer[], query search_vector",
    columns: "nth bigint, chunk smallint, similarity double precision",
    ...writeLookup({
      table: "search_windows",
      column: "document",
      keys: "documents",
      select: "o.nth, y.chunk, y.similarity",
      rows: (where) => `select x.chunk, max(-(x.vector <#> query)) as similarity from search_windows x
    where ${where} group by x.chunk`,
    }),
  },
];

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

/**
 * Builds a body that queries one shard after the other, each for its own rows only. In one query for all shards, each
 * would look for the rows of all others too, which takes much longer.
 * @param keys the array parameter of the distribution column
 * @param query selects from table `x` for `part`, the keys of one shard, whose indexes are `nths`
 */
const writeShardBody = (table: string, keys: string, query: string): string => `
declare
  part ${keys}%type;
  nths bigint[];
begin
  for part, nths in
    select array_agg(o.key), array_agg(o.nth) from unnest(${keys}) with ordinality o (key, nth)
    group by get_shard_id_for_distribution_column('${table}', o.key)
  loop
    return query ${query};
  end loop;
end`;
const nth = "nths[array_position(part, x.document)]";

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
    table: "search_chunks",
    parameters: "meetings text[], positions integer[]",
    columns: "nth bigint, text text, first_turn integer, last_turn integer",
    query: `select o.nth, c.text, c.first_turn, c.last_turn
  from unnest(meetings, positions) with ordinality o (meeting, place, nth)
  cross join lateral (
    select x.text, x.first_turn, x.last_turn from search_chunks x
    where x.meeting_id = o.meeting and x."position" = o.place offset 0) c`,
    body: writeShardBody(
      "search_chunks",
      "meetings",
      `select o.nth, x.text, x.first_turn, x.last_turn
      from search_chunks x join unnest(nths) o (nth) on x.meeting_id = meetings[o.nth] and x."position" = positions[o.nth]
      where x.meeting_id = any (part)`,
    ),
  },
  {
    name: "find_postings",
    table: "search_postings",
    parameters: "documents integer[], terms text[]",
    columns:
      'nth bigint, term text, chunks smallint, best smallint, "first" smallint, weights bytea, places integer[]',
    query: `select o.nth, p.term, p.chunks, p.best, p."first", p.weights, p.places
  from unnest(documents) with ordinality o (document, nth)
  cross join lateral (
    select x.* from search_postings x where x.document = o.document and x.term = any (terms) offset 0) p`,
    body: writeShardBody(
      "search_postings",
      "documents",
      `select ${nth}, x.term, x.chunks, x.best, x."first", x.weights, x.places
      from search_postings x where x.document = any (part) and x.term = any (terms)`,
    ),
  },
  {
    name: "find_speakers",
    table: "search_speakers",
    parameters: "documents integer[]",
    columns: 'nth bigint, name text[], "first" smallint, shares bytea',
    query: `select o.nth, s.name, s."first", s.shares
  from unnest(documents) with ordinality o (document, nth)
  cross join lateral (select x.* from search_speakers x where x.document = o.document offset 0) s`,
    body: writeShardBody(
      "search_speakers",
      "documents",
      `select ${nth}, x.name, x."first", x.shares from search_speakers x where x.document = any (part)`,
    ),
  },
  {
    name: "find_similarities",
    table: "search_windows",
    parameters: "documents integer[], query search_vector",
    columns: "nth bigint, chunk smallint, similarity double precision",
    query: `select o.nth, w.chunk, w.similarity
  from unnest(documents) with ordinality o (document, nth)
  cross join lateral (
    select x.chunk, max(-(x.vector <#> query)) as similarity from search_windows x
    where x.document = o.document group by x.chunk offset 0) w`,
    body: writeShardBody(
      "search_windows",
      "documents",
      `select ${nth}, x.chunk, max(-(x.vector <#> query))
      from search_windows x where x.document = any (part) group by x.document, x.chunk`,
    ),
  },
];

import { MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema, toSqlNumber, writeArray } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope } from "../access/index.js";
import { ApiError } from "../lib/errors.js";

const { meetings, participants } = schema;

/** Maximum number of turns and characters of a transcript that is compared as a whole: three hours of talk. */
const WHOLE = { turns: 1_500, characters: 200_000 };
/** Number of turns that are compared around each found turn of a longer transcript, of at most as many characters. */
const AROUND = 20;

/** A turn as it is stored. */
interface StoredTurn {
  readonly position: number;
  readonly speakerName: string;
  readonly text: string;
  readonly startSeconds: number | null;
}

/** A meeting with the turns to compare. */
interface TurnsToCompare {
  readonly title: string;
  readonly startTime: string;
  /** True if the transcript is too long to be compared as a whole. */
  readonly isLong: boolean;
  readonly turns: readonly StoredTurn[];
}

/**
 * Reads the turns of a meeting that are compared with a question: all of them, and of a long transcript those around the
 * found ones, the best first until there are 200,000 characters.
 * @param found how well each turn was found, by its position
 * @throws ApiError 404 for an unknown meeting, 403 for one outside the scope
 */
export async function readTurnsToCompare(
  db: Database,
  scope: Scope,
  meetingId: string,
  found: ReadonlyMap<number, number>,
): Promise<TurnsToCompare> {
  const ranges = listRanges(found);
  const [row] = await runNamedStatement<TurnsToCompare & { readonly allowed: boolean }>(
    db,
    `asked_turns_${scope.name}`,
    () => selectTurns(scope),
    {
      ...scope.values,
      meetingId,
      firsts: writeArray(ranges.map(({ first }) => first)),
      lasts: writeArray(ranges.map(({ last }) => last)),
    },
    { holder: scope.values.caller },
  );
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
  return row;
}

/** Lists the ranges of turns around the found ones, without overlaps, the best first. */
function listRanges(found: ReadonlyMap<number, number>): { first: number; last: number; value: number }[] {
  const ranges: { first: number; last: number; value: number }[] = [];
  for (const [position, value] of [...found].toSorted(([a], [b]) => a - b)) {
    const [first, last] = [position - AROUND, position + AROUND];
    const before = ranges.at(-1);
    if (before && first <= before.last + 1) {
      before.last = last;
      before.value = Math.max(before.value, value);
    } else ranges.push({ first, last, value });
  }
  return ranges.toSorted((a, b) => b.value - a.value);
}

const meetingId = sql.placeholder("meetingId");
const [turns, characters] = [toSqlNumber(WHOLE.turns), toSqlNumber(WHOLE.characters)];

const selectTurns = (scope: Scope): SQL => sql`
  with meeting as materialized (
    select m.id, m.title, m.start_time, ${buildScopeCondition(scope)} as allowed from ${meetings} m where m.id = ${meetingId}
  ), start as materialized (
    select x.* from meeting m cross join lateral read_segments_between(m.id, 0, ${turns} - 1) x where m.allowed
  ), size as materialized (
    select exists (select from meeting m cross join lateral read_segments_between(m.id, ${turns}, ${turns}) x where m.allowed)
      or (select coalesce(sum(length(text)), 0) from start) > ${characters} as "isLong"
  ), near as (
    select x.*, sum(length(x.text)) over (order by r.nth, x.position) as characters
    from meeting m cross join size
      cross join unnest(${sql.placeholder("firsts")}::text::int[], ${sql.placeholder("lasts")}::text::int[])
        with ordinality r (first, last, nth)
      cross join lateral read_segments_between(m.id, r.first, r.last) x
    where m.allowed and size."isLong"
  ), compared as (
    select s.position, s.speaker_id, s.text, s.start_seconds from start s where not (select "isLong" from size)
    union all
    select n.position, n.speaker_id, n.text, n.start_seconds from near n where n.characters <= ${characters}
  )
  select m.allowed, m.title, m.start_time as "startTime", (select "isLong" from size) as "isLong", coalesce((
    select json_agg(json_build_object('position', c.position, 'speakerName', p.name, 'text', c.text,
      'startSeconds', c.start_seconds) order by c.position)
    from compared c join ${participants} p on p.meeting_id = m.id and p.id = c.speaker_id), '[]') as turns
  from meeting m`;

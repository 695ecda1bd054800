import {
  formatCursor,
  type Instant,
  type MeetingListItem,
  type MeetingPage,
  type Position,
} from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { holds, isHeld, type Scope, type Source } from "./access.js";

const { meetings } = schema;

/** A page of a meeting list (contract: "Pagination"). */
export interface ListInput {
  readonly limit: number;
  readonly cursor?: Position | undefined;
  readonly startDate?: Instant | undefined;
  readonly endDate?: Instant | undefined;
}

/**
 * The newest meetings of a scope, by start and then id, both descending. A page costs what it shows: each source
 * is read newest first through its own index, however many meetings lie behind.
 */
export async function listMeetings(db: Database, scope: Scope, input: ListInput): Promise<MeetingPage> {
  const bounds: Bounds = { cursor: !!input.cursor, startDate: !!input.startDate, endDate: !!input.endDate };
  const name = `meetings_${scope.name}_${shape(bounds)}`;
  const rows = await execute<MeetingListItem>(db, name, () => pageOf(scope, bounds), {
    ...scope.values,
    rows: input.limit + 1,
    startDate: input.startDate,
    endDate: input.endDate,
    cursorTime: input.cursor?.time,
    cursorId: input.cursor?.id,
  });
  const page = rows.slice(0, input.limit);
  const last = rows.length > input.limit ? page.at(-1) : undefined;
  return { meetings: page, nextCursor: last ? formatCursor(last.startTime, last.id) : null };
}

/** Which conditions a statement has; each combination is a statement of its own, with a plan of its own. */
interface Bounds {
  readonly cursor: boolean;
  readonly startDate: boolean;
  readonly endDate: boolean;
}

const shape = (bounds: Bounds): string => Object.values(bounds).map(Number).join("");

const pageOf = (scope: Scope, bounds: Bounds): SQL => sql`
  select m.id, m.title, m.generated_title as "generatedTitle", m.start_time as "startTime", m.end_time as "endTime",
    m.calendar_event_id as "calendarEventId", m.user_id as "userId"
  from (${sql.join(
    scope.sources.map((source) => newestOf(source, bounds)),
    sql` union `,
  )}) newest
  join ${meetings} m on m.id = newest.id
  order by m.start_time desc, m.id desc limit ${sql.placeholder("rows")}`;

/** The ids of the newest meetings of one source, as many as the page could need of it. */
function newestOf(source: Source, bounds: Bounds): SQL {
  if (isHeld(source))
    return newest(sql`m.start_time`, sql`m.id`, sql`${meetings} m where ${holds(source, "m")}`, bounds);
  const links = newest(
    sql`l.start_time`,
    sql`l.meeting_id`,
    sql`${source.links} where ${source.where}`,
    bounds,
  );
  return source.under
    ? sql`(select l.id, l.start_time from ${source.under} cross join lateral ${links} l)`
    : links;
}

const newest = (time: SQL, id: SQL, rows: SQL, bounds: Bounds): SQL => sql`
  (select ${id} as id, ${time} as start_time from ${rows}
    ${bounds.startDate ? sql`and ${time} >= ${sql.placeholder("startDate")}` : sql``}
    ${bounds.endDate ? sql`and ${time} <= ${sql.placeholder("endDate")}` : sql``}
    ${bounds.cursor ? sql`and (${time}, ${id}) < (${sql.placeholder("cursorTime")}, ${sql.placeholder("cursorId")})` : sql``}
    order by ${time} desc, ${id} desc limit ${sql.placeholder("rows")})`;

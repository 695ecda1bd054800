import {
  formatCursor,
  type Instant,
  type MeetingListItem,
  type MeetingPage,
  type Position,
} from "@minutes/contract";
import { type Database, runNamedStatement, schema, toSqlNumber } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { isColumnSource, type Scope, type Source, whereColumn } from "../access/index.js";
import { getRowLimit } from "../lib/paging.js";

const { meetings } = schema;

/** A page of a meeting list. @see docs/specification.md#pagination-list-operations */
export interface ListInput {
  readonly limit: number;
  readonly cursor?: Position | undefined;
  readonly startDate?: Instant | undefined;
  readonly endDate?: Instant | undefined;
}

/**
 * Lists the newest meetings of a scope, by start and id, both descending. Cost depends on the page, not on the total:
 * each source is read newest first from its own index.
 */
export async function listMeetings(db: Database, scope: Scope, input: ListInput): Promise<MeetingPage> {
  const bounds: Bounds = {
    rows: getRowLimit(input.limit),
    cursor: input.cursor !== undefined,
    startDate: input.startDate !== undefined,
    endDate: input.endDate !== undefined,
  };
  const name = `meetings_${scope.name}_${nameConditions(bounds)}`;
  const rows = await runNamedStatement<MeetingListItem>(db, name, () => selectPage(scope, bounds), {
    ...scope.values,
    startDate: input.startDate,
    endDate: input.endDate,
    cursorTime: input.cursor?.time,
    cursorId: input.cursor?.id,
  });
  const page = rows.slice(0, input.limit);
  const last = rows.length > input.limit ? page.at(-1) : undefined;
  return { meetings: page, nextCursor: last ? formatCursor(last.startTime, last.id) : null };
}

/** The conditions of a statement. Each combination is a separate statement with its own plan. */
interface Bounds {
  readonly rows: number;
  readonly cursor: boolean;
  readonly startDate: boolean;
  readonly endDate: boolean;
}

const nameConditions = (bounds: Bounds): string => Object.values(bounds).map(Number).join("_");

/** The columns of a list item, from meeting `m`. */
export const meetingColumns = sql`
  m.id, m.title, m.generated_title as "generatedTitle", m.start_time as "startTime", m.end_time as "endTime",
  m.calendar_event_id as "calendarEventId", m.user_id as "userId"`;

const selectPage = (scope: Scope, bounds: Bounds): SQL => sql`
  select ${meetingColumns} from ${fromNewest(scope, bounds)}`;

/** Selects the page's rows `m` in order: from the single index of the scope, or by ids from several. */
function fromNewest({ sources }: Scope, bounds: Bounds): SQL {
  const [only] = sources;
  const order = sql`order by m.start_time desc, m.id desc limit ${toSqlNumber(bounds.rows)}`;
  if (only && isColumnSource(only) && sources.length === 1) {
    return sql`${meetings} m where ${whereColumn(only, "m")} ${andWithin(sql`m.start_time`, sql`m.id`, bounds)} ${order}`;
  }
  const ids = sql.join(
    sources.map((source) => selectNewestIds(source, bounds)),
    sql` union `,
  );
  return sql`(select id, start_time from (${ids}) m ${order}) newest
    join ${meetings} m on m.id = newest.id order by newest.start_time desc, newest.id desc`;
}

/** Selects the ids of the newest meetings of one source, as many as the page could need. */
function selectNewestIds(source: Source, bounds: Bounds): SQL {
  if (isColumnSource(source))
    return selectIds(
      sql`m.start_time`,
      sql`m.id`,
      sql`${meetings} m where ${whereColumn(source, "m")}`,
      bounds,
    );
  const links = selectIds(
    sql`l.start_time`,
    sql`l.meeting_id`,
    sql`${source.links} where ${source.where}`,
    bounds,
  );
  return source.throughTags
    ? sql`(select l.id, l.start_time from ${source.throughTags} cross join lateral ${links} l)`
    : links;
}

const selectIds = (time: SQL, id: SQL, rows: SQL, bounds: Bounds): SQL => sql`
  (select ${id} as id, ${time} as start_time from ${rows} ${andWithin(time, id, bounds)}
    order by ${time} desc, ${id} desc limit ${toSqlNumber(bounds.rows)})`;

const andWithin = (time: SQL, id: SQL, bounds: Bounds): SQL => sql`
  ${bounds.startDate ? sql`and ${time} >= ${sql.placeholder("startDate")}` : sql``}
  ${bounds.endDate ? sql`and ${time} <= ${sql.placeholder("endDate")}` : sql``}
  ${bounds.cursor ? sql`and (${time}, ${id}) < (${sql.placeholder("cursorTime")}, ${sql.placeholder("cursorId")})` : sql``}`;

import type { BrowseMeetings, FindMeetings, MeetingOverview, MeetingOverviewPage } from "@minutes/contract";
import { type Database, runNamedStatement, schema, writeArray } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  buildScopeCondition,
  isSharedWithAnyone,
  narrowedTo,
  type Scope,
  type UserCaller,
} from "../access/index.js";
import { getRowLimit } from "../lib/paging.js";
import { foldName, namesPerson } from "../people/index.js";
import { listMeetings, meetingColumns } from "./list.js";
import { meetingJson } from "./meeting-json.js";

const { meetings, participants, summaries, tasks, users } = schema;

type Facts = Pick<
  MeetingOverview,
  "id" | "owner" | "startPrecision" | "people" | "peopleCount" | "tags" | "openTasks" | "locked" | "shared"
>;

/** Lists meetings in the order of `listMeetings`, each with the fields of the console's rows. */
export async function browseMeetings(
  db: Database,
  caller: UserCaller,
  { whose, tag, ...input }: BrowseMeetings,
): Promise<MeetingOverviewPage> {
  const { meetings: list, nextCursor } = await listMeetings(db, narrowedTo(caller, { tag, whose }), input);
  const rows = await runNamedStatement<Facts>(db, "meeting_facts", selectFacts, {
    ids: writeArray(list.map(({ id }) => id)),
  });
  const facts = new Map(rows.map((row) => [row.id, row]));
  // A meeting deleted between the two statements is omitted.
  return {
    meetings: list.flatMap((meeting) => {
      const found = facts.get(meeting.id);
      return found ? [{ ...meeting, ...found }] : [];
    }),
    nextCursor,
  };
}

/**
 * Finds the newest, or oldest, visible meetings whose title, or the name of a person who spoke, contains a text. The range has no
 * default.
 */
export async function findMeetings(
  db: Database,
  caller: UserCaller,
  { tag, whose, order, limit, ...input }: FindMeetings,
): Promise<{ meetings: MeetingOverview[] }> {
  const scope = narrowedTo(caller, { tag, whose });
  const rows = getRowLimit(limit);
  const by = { text: input.text !== undefined, person: input.person !== undefined, order, rows };
  const name = `find_meetings_${scope.name}_${Object.values(by).join("_")}`;
  const found = await runNamedStatement<MeetingOverview>(db, name, () => selectFound(scope, by), {
    ...scope.values,
    ...input,
  });
  return { meetings: found.slice(0, limit) };
}

const factColumns = sql`
  u.name as owner, m.start_precision as "startPrecision", ${meetingJson.tags} as tags,
  (select coalesce(json_agg(p.name order by p.position), '[]') from ${participants} p
    where p.meeting_id = m.id and p.position < 5) as people,
  (select count(*)::int from ${participants} p where p.meeting_id = m.id) as "peopleCount",
  (select count(*)::int from ${tasks} k where k.meeting_id = m.id and not k.completed) as "openTasks",
  coalesce((select s.locked from ${summaries} s where s.meeting_id = m.id), false) as locked,
  ${isSharedWithAnyone} as shared`;

const selectFacts = () => sql`
  select m.id, ${factColumns} from ${meetings} m join ${users} u on u.id = m.user_id
  where m.id = any(${sql.placeholder("ids")}::text::text[])`;

const text = foldName(sql`${sql.placeholder("text")}::text`);
const containsText = sql`and (
  position(${text} in ${foldName(sql`m.title`)}) > 0 or position(${text} in ${foldName(sql`m.generated_title`)}) > 0
  or exists (select from ${participants} p where p.meeting_id = m.id and position(${text} in ${foldName(sql`p.name`)}) > 0))`;
const isSpeaker = namesPerson(sql.placeholder("person"), { name: sql`p.name`, email: sql`p.email` });
const hasPerson = sql`and exists (select from ${participants} p where p.meeting_id = m.id and ${isSpeaker})`;

/** The conditions of a statement. Each combination is a separate statement. */
interface FindBy {
  readonly text: boolean;
  readonly person: boolean;
  readonly order: FindMeetings["order"];
  readonly rows: number;
}

const selectFound = (scope: Scope, by: FindBy): SQL => sql`
  select ${meetingColumns}, ${factColumns} from ${meetings} m join ${users} u on u.id = m.user_id
  where ${buildScopeCondition(scope)}
  and m.start_time between coalesce(${sql.placeholder("startDate")}::timestamptz, '-infinity')
    and coalesce(${sql.placeholder("endDate")}::timestamptz, 'infinity')
  ${by.text ? containsText : sql``} ${by.person ? hasPerson : sql``}
  order by ${by.order === "oldest" ? sql`m.start_time, m.id` : sql`m.start_time desc, m.id desc`} limit ${sql.raw(String(by.rows))}`;

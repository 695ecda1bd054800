import {
  FACT_NAMES,
  MESSAGES,
  type MeetingFacts,
  type MeetingToEdit,
  type MeetingWithFacts,
  type SummaryOrigin,
} from "@minutes/contract";
import {
  type Database,
  isSerial,
  runNamedStatement,
  schema,
  toSqlNumber,
  yieldToEventLoop,
} from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope, type UserCaller, visibleTo } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { readVersion } from "../versions/index.js";
import { hasAudibleAudio } from "./audio.js";
import { fromMeetings, meetingJson, selectMarkdown } from "./meeting-json.js";

const { calendarLinks, meetings, summaries, summaryRequests, users } = schema;

/** Picks the facts of a meeting that was sent or stored; null where there is none. */
export const toFacts = (
  meeting: { readonly [Name in keyof MeetingFacts]?: MeetingFacts[Name] | undefined },
) => Object.fromEntries(FACT_NAMES.map((name) => [name, meeting[name] ?? null])) as MeetingFacts;

const factColumns = Object.fromEntries(FACT_NAMES.map((name) => [name, meetings[name]])) as {
  readonly [Name in keyof MeetingFacts]: (typeof meetings)[Name];
};

/** Reads the facts of a meeting. `getMeeting` has only those of `/v1`, which it reads also before a migration adds others. */
async function readFacts(db: Database, meetingId: string): Promise<MeetingFacts> {
  const [facts = {}] = await db.select(factColumns).from(meetings).where(eq(meetings.id, meetingId));
  return toFacts(facts);
}

/** Maximum number of turns per statement: on the embedded engine, other calls wait for it, a few ms. */
const TURNS_AT_ONCE = 2_000;
/** Maximum attempts to read a long transcript in parts. If it changes during each, it is read in one statement. */
const ATTEMPTS = 3;
/** No limit: more turns than any transcript has. */
const ALL_TURNS = 2 ** 31 - 1;

/**
 * Reads one meeting with all its details as of one moment: in one statement, or on the embedded engine a long transcript in
 * several. A locked summary is returned as an empty one.
 * @see docs/specification.md#meeting-full-detail
 * @throws ApiError 404 for an unknown meeting, 403 for one outside the scope
 */
export async function getMeeting(db: Database, scope: Scope, meetingId: string): Promise<MeetingWithFacts> {
  const values = { ...scope.values, meetingId };
  for (let attempt = 1; ; attempt++) {
    const limit = attempt <= ATTEMPTS && isSerial(db) ? TURNS_AT_ONCE : ALL_TURNS;
    const [row] = await runNamedStatement<DetailRow>(
      db,
      `meeting_${scope.name}_${limit}`,
      () => selectMeeting(scope, limit),
      values,
    );
    if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
    if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
    const parts = row.turns === limit ? await readFurtherTurns(db, scope, values, row.changedIn) : [];
    if (parts) return toMeeting(meetingId, { ...row, transcript: [row.transcript, ...parts].join("\n\n") });
  }
}

/** Reads the turns after the first 2,000 in parts. @returns null if the meeting changed, or can't be read anymore */
async function readFurtherTurns(
  db: Database,
  scope: Scope,
  values: Readonly<Record<string, string>>,
  changedIn: string,
): Promise<string[] | null> {
  const parts: string[] = [];
  for (let first = TURNS_AT_ONCE; ; first += TURNS_AT_ONCE) {
    await yieldToEventLoop();
    const [part] = await runNamedStatement<Pick<DetailRow, "transcript" | "turns" | "changedIn">>(
      db,
      `meeting_turns_${scope.name}`,
      () => selectFurtherTurns(scope),
      { ...values, first },
    );
    if (part?.changedIn !== changedIn) return null;
    if (part.turns > 0) parts.push(part.transcript);
    if (part.turns < TURNS_AT_ONCE) return parts;
  }
}

function toMeeting(meetingId: string, row: DetailRow): MeetingWithFacts {
  const { title, startTime, endTime } = row;
  return {
    id: meetingId,
    title,
    ...toFacts(row),
    startTime,
    endTime,
    user: row.user,
    summary: row.summary,
    transcript: row.transcript,
    participants: row.participants,
    tasks: row.tasks,
    tags: row.tags,
    event: {
      id: row.eventId,
      externalId: row.eventExternalId,
      title: row.eventTitle ?? title,
      scheduledTime: row.eventTime ?? startTime,
      endTime: row.eventEndTime ?? endTime,
      attendees: row.attendees,
    },
  };
}

/**
 * Reads a meeting as `getMeeting` does, with its version.
 * @param hasStore false if this process has no directory of audio, so that none can be heard
 */
export async function getMeetingToEdit(
  db: Database,
  caller: UserCaller,
  meetingId: string,
  hasStore: boolean,
): Promise<MeetingToEdit> {
  // Before the content: an edit in between makes the version stale, and never the content.
  const version = await readVersion(db, meetingId);
  const meeting = await getMeeting(db, visibleTo(caller), meetingId);
  return {
    ...meeting,
    ...(await readFacts(db, meetingId)),
    tasks: await readTasks(db, meetingId),
    version,
    recordedBy: await getName(db, meeting.user.id),
    eventFromCalendar: meeting.event.id !== null && (await isFilled(db, meetingId, meeting.event.id)),
    hasAudio: hasStore && (await hasAudibleAudio(db, meetingId)),
    newSummary: await readRequest(db, meetingId),
    ...(await readSummaryFacts(db, meetingId, meeting.user.id === caller.userId)),
  };
}

/** Reads a meeting's tasks with their due dates, which `/v1` doesn't have. */
async function readTasks(db: Database, meetingId: string): Promise<MeetingToEdit["tasks"]> {
  const [row] = await runNamedStatement<Pick<MeetingToEdit, "tasks">>(
    db,
    "meeting_tasks_with_dates",
    () =>
      sql`select ${meetingJson.datedTasks} as tasks from ${meetings} m where m.id = ${sql.placeholder("meetingId")}`,
    { meetingId },
  );
  return row?.tasks ?? [];
}

async function getName(db: Database, userId: string): Promise<string> {
  const [user] = await db.select({ name: users.name }).from(users).where(eq(users.id, userId));
  return user?.name ?? "";
}

/** Returns true for an event that a calendar filled. */
const isFilled = async (db: Database, meetingId: string, eventId: string): Promise<boolean> =>
  (await db.$count(
    calendarLinks,
    and(eq(calendarLinks.meetingId, meetingId), eq(calendarLinks.eventId, eventId)),
  )) > 0;

async function readRequest(db: Database, meetingId: string): Promise<MeetingToEdit["newSummary"]> {
  const { failed } = summaryRequests;
  const [request] = await db
    .select({ failed })
    .from(summaryRequests)
    .where(eq(summaryRequests.meetingId, meetingId));
  return request ? (request.failed ? "failed" : "waiting") : null;
}

/** @param own true for the owner: an instruction can say more than readers need to know */
async function readSummaryFacts(
  db: Database,
  meetingId: string,
  own: boolean,
): Promise<Pick<MeetingToEdit, "summaryLocked" | "summaryOrigin">> {
  const { locked, origin } = summaries;
  const [stored] = await db
    .select({ locked, origin })
    .from(summaries)
    .where(eq(summaries.meetingId, meetingId));
  if (!stored || stored.locked || !own || stored.origin === null)
    return { summaryLocked: stored?.locked ?? false, summaryOrigin: null };
  const { name, language } = JSON.parse(stored.origin) as SummaryOrigin;
  return { summaryLocked: false, summaryOrigin: { name, language } };
}

type DetailRow = Omit<MeetingWithFacts, "id" | "event" | keyof MeetingFacts> &
  Partial<MeetingFacts> & {
    readonly allowed: boolean;
    /** Number of turns in `transcript`. */
    readonly turns: number;
    /** Number of the last transaction that changed the meeting. */
    readonly changedIn: string;
    readonly eventId: string | null;
    readonly eventExternalId: string | null;
    readonly eventTitle: string | null;
    readonly eventTime: string | null;
    readonly eventEndTime: string | null;
    readonly attendees: MeetingWithFacts["event"]["attendees"];
  };

/** Reads a list only if the caller can read the meeting. */
const whenAllowed = (list: SQL): SQL => sql`case when allowed then ${list} else '[]' end`;

/** @param turns maximum number of turns; in the text, because the planner has to know it */
const selectMeeting = (scope: Scope, turns: number): SQL => sql`
  select allowed, m.title, m.generated_title as "generatedTitle", m.start_time as "startTime", m.end_time as "endTime",
    ${meetingJson.user} as "user",
    ${meetingJson.summary} as summary,
    t.transcript, t.turns, m.changed_in::text as "changedIn",
    ${whenAllowed(meetingJson.participants)} as participants,
    ${whenAllowed(meetingJson.tasks)} as tasks,
    ${whenAllowed(meetingJson.tags)} as tags,
    e.id as "eventId", e.external_id as "eventExternalId", e.title as "eventTitle",
    e.scheduled_time as "eventTime", e.end_time as "eventEndTime",
    ${whenAllowed(meetingJson.attendees)} as attendees
  from ${fromMeetings(buildScopeCondition(scope))}
  cross join lateral (${selectMarkdown(sql`read_segments(m.id) x`)}
    and x.position < ${toSqlNumber(turns)} and allowed) t
  where m.id = ${sql.placeholder("meetingId")}`;

const first = sql.placeholder("first");

const selectFurtherTurns = (scope: Scope): SQL => sql`
  select t.transcript, t.turns, m.changed_in::text as "changedIn"
  from ${meetings} m
  cross join lateral (${selectMarkdown(sql`read_segments_between(m.id, ${first}::int, ${first}::int + ${toSqlNumber(TURNS_AT_ONCE - 1)}) x`)}) t
  where m.id = ${sql.placeholder("meetingId")} and ${buildScopeCondition(scope)}`;

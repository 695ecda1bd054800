import {
  FACT_NAMES,
  MESSAGES,
  type MeetingFacts,
  type MeetingToEdit,
  type MeetingWithFacts,
  type SummaryOrigin,
} from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope, type UserCaller, visibleTo } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { readVersion } from "../versions/index.js";
import { hasAudibleAudio } from "./audio.js";
import { fromMeetings, meetingJson, transcriptMarkdown } from "./meeting-json.js";

const { calendarLinks, meetings, summaries, summaryRequests, users } = schema;

/** Picks the facts of a meeting that was sent or stored; null where there is none. */
export const toFacts = (meeting: { readonly [Name in keyof MeetingFacts]?: string | null | undefined }) =>
  Object.fromEntries(FACT_NAMES.map((name) => [name, meeting[name] ?? null])) as MeetingFacts;

const factColumns = Object.fromEntries(FACT_NAMES.map((name) => [name, meetings[name]])) as {
  readonly [Name in keyof MeetingFacts]: (typeof meetings)[Name];
};

/** Reads the facts of a meeting. `getMeeting` has only those of `/v1`, which it reads also before a migration adds others. */
async function readFacts(db: Database, meetingId: string): Promise<MeetingFacts> {
  const [facts = {}] = await db.select(factColumns).from(meetings).where(eq(meetings.id, meetingId));
  return toFacts(facts);
}

/**
 * Reads one meeting with all its details, in one statement. A locked summary is returned as an empty one.
 * @see docs/specification.md#meeting-full-detail
 * @throws ApiError 404 for an unknown meeting, 403 for one outside the scope
 */
export async function getMeeting(db: Database, scope: Scope, meetingId: string): Promise<MeetingWithFacts> {
  const [row] = await runNamedStatement<DetailRow>(db, `meeting_${scope.name}`, () => selectMeeting(scope), {
    ...scope.values,
    meetingId,
  });
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!row.allowed) throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
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
    version,
    recordedBy: await getName(db, meeting.user.id),
    eventFromCalendar: meeting.event.id !== null && (await isFilled(db, meetingId, meeting.event.id)),
    hasAudio: hasStore && (await hasAudibleAudio(db, meetingId)),
    newSummary: await readRequest(db, meetingId),
    ...(await readSummaryFacts(db, meetingId, meeting.user.id === caller.userId)),
  };
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

type DetailRow = Omit<MeetingWithFacts, "id" | "event"> & {
  readonly allowed: boolean;
  readonly eventId: string | null;
  readonly eventExternalId: string | null;
  readonly eventTitle: string | null;
  readonly eventTime: string | null;
  readonly eventEndTime: string | null;
  readonly attendees: MeetingWithFacts["event"]["attendees"];
};

/** Reads a list only if the caller can read the meeting. */
const whenAllowed = (list: SQL): SQL => sql`case when allowed then ${list} else '[]' end`;

const selectMeeting = (scope: Scope): SQL => sql`
  select allowed, m.title, m.generated_title as "generatedTitle", m.start_time as "startTime", m.end_time as "endTime",
    ${meetingJson.user} as "user",
    ${meetingJson.summary} as summary,
    case when allowed then ${transcriptMarkdown} else '' end as transcript,
    ${whenAllowed(meetingJson.participants)} as participants,
    ${whenAllowed(meetingJson.tasks)} as tasks,
    ${whenAllowed(meetingJson.tags)} as tags,
    e.id as "eventId", e.external_id as "eventExternalId", e.title as "eventTitle",
    e.scheduled_time as "eventTime", e.end_time as "eventEndTime",
    ${whenAllowed(meetingJson.attendees)} as attendees
  from ${fromMeetings(buildScopeCondition(scope))}
  where m.id = ${sql.placeholder("meetingId")}`;

import { LIMITS, MESSAGES, type Preparation, type UpcomingEvent } from "@minutes/contract";
import { type Database, runNamedStatement, schema, writeArray } from "@minutes/db";
import { eq, type SQL, sql } from "drizzle-orm";
import { buildScopeCondition, type Scope, type UserCaller, visibleTo } from "../access/index.js";
import { cutToLine } from "../lib/cut-to-line.js";
import { ApiError } from "../lib/errors.js";
import type { FeedAttendee } from "./attendees.js";

const {
  calendarAttendees,
  calendarEntries,
  calendarEvents,
  calendars,
  meetings,
  participants,
  tasks,
  users,
} = schema;

type EntryRow = Omit<UpcomingEvent, "attendees" | "attendeesCount"> & { readonly attendees: string };

/** Maximum length of a task's text, in characters. */
const TASK_MAX = 200;

function toEvent({ attendees, ...row }: EntryRow): UpcomingEvent {
  const all = JSON.parse(attendees) as FeedAttendee[];
  const [organizer, others] = [all.filter((one) => one.organizer), all.filter((one) => !one.organizer)];
  const shown = [...organizer, ...others].slice(0, LIMITS.upcomingAttendees);
  return { ...row, attendees: shown, attendeesCount: all.length };
}

const columns = sql`e.id, e.title, e.start_time as "startTime", e.end_time as "endTime", e.all_day as "allDay", e.attendees`;
const ofCaller = sql`e.user_id = ${sql.placeholder("userId")}`;

/** Lists the events of a user's calendar that have not ended, soonest first. */
export async function listUpcoming(db: Database, userId: string, limit: number): Promise<UpcomingEvent[]> {
  const rows = await runNamedStatement<EntryRow>(db, "upcoming_events", selectUpcoming, { userId, limit });
  return rows.map(toEvent);
}

/** Returns true if the user subscribed to a calendar. */
export const isConnected = async (db: Database, userId: string): Promise<boolean> =>
  (await db.$count(calendars, eq(calendars.userId, userId))) > 0;

const selectUpcoming = () => sql`
  select ${columns} from ${calendarEntries} e
  where ${ofCaller} and e.end_time > now()
    and e.start_time < now() + make_interval(days => ${sql.raw(String(LIMITS.calendarDaysAhead))})
  order by e.start_time, e.id limit ${sql.placeholder("limit")}::int`;

/**
 * Finds the last meetings of an event's series or with its people that the caller can read, and their open tasks.
 * @throws ApiError 404 unless the event is in the caller's calendar
 */
export async function prepareEvent(db: Database, caller: UserCaller, eventId: string): Promise<Preparation> {
  const { userId } = caller;
  const [entry] = await runNamedStatement<EntryRow & { uid: string; own: string }>(
    db,
    "event_to_prepare",
    selectEntry,
    {
      ...{ userId, eventId },
    },
  );
  if (!entry) throw new ApiError("NOT_FOUND", MESSAGES.eventNotFound);
  const { uid, own, ...row } = entry;
  const attendees = JSON.parse(row.attendees) as FeedAttendee[];
  const emails = attendees.map(({ email }) => email).filter((email) => email !== own);
  const scope = visibleTo(caller);
  const found = await runNamedStatement<Preparation["meetings"][number]>(
    db,
    `meetings_to_prepare_${scope.name}`,
    () => selectMeetings(scope),
    { ...scope.values, uid, emails: writeArray(emails) },
  );
  const open = await runNamedStatement<Preparation["tasks"][number]>(db, "tasks_to_prepare", selectTasks, {
    ids: writeArray(found.map(({ id }) => id)),
  });
  const shortened = open.map((task) => ({ ...task, text: cutToLine(task.text, TASK_MAX) }));
  return { event: toEvent(row), meetings: found, tasks: shortened };
}

const selectEntry = () => sql`
  select ${columns}, e.uid, u.email as own from ${calendarEntries} e join ${users} u on u.id = e.user_id
  where ${ofCaller} and e.id = ${sql.placeholder("eventId")}`;

const isOfSeries = sql`exists (select from ${calendarEvents} v
  where v.meeting_id = m.id and v.external_id = ${sql.placeholder("uid")})`;
const isAmong = (email: SQL) => sql`lower(${email}) = any(${sql.placeholder("emails")}::text::text[])`;
const isWithPeople = sql`(
  exists (select from ${participants} p where p.meeting_id = m.id and ${isAmong(sql`p.email`)})
  or exists (select from ${calendarAttendees} a where a.meeting_id = m.id and ${isAmong(sql`a.email`)}))`;

/** Earlier meetings of the last year: before that, a meeting is hardly the last one. */
const selectMeetings = (scope: Scope): SQL => sql`
  select m.id, m.title, m.start_time as "startTime", m.start_precision as "startPrecision",
    ${isOfSeries} as series from ${meetings} m
  where ${buildScopeCondition(scope)} and m.start_time between now() - interval '1 year' and now()
    and (${isOfSeries} or ${isWithPeople})
  order by m.start_time desc, m.id desc limit ${sql.raw(String(LIMITS.preparedMeetings))}`;

const selectTasks = () => sql`
  select k.id, k.text, k.assignee_name as assignee, k.due_on::text as due, k.meeting_id as "meetingId" from ${tasks} k
  where k.meeting_id = any(${sql.placeholder("ids")}::text::text[]) and not k.completed
  order by k.created_at desc, k.id desc limit ${sql.raw(String(LIMITS.preparedTasks))}`;

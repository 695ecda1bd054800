import { LIMITS } from "@minutes/contract";
import { type Database, insertRows, runNamedStatement, schema, writeArray } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { generateId } from "../lib/ids.js";
import { changeMeeting } from "../versions/index.js";
import type { FeedAttendee } from "./attendees.js";

const {
  calendarAttendees,
  calendarEntries,
  calendarEvents,
  calendarLinks,
  calendars,
  meetings,
  participants,
  users,
} = schema;

/**
 * Maximum number of meetings that one statement matches: a hostile calendar has a thousand events at once, and on the embedded
 * engine a statement holds the event loop.
 */
const BATCH = 10;
/** Maximum number of meetings that are looked at, newest first: after one was completed, and after a calendar was read. */
const AT_MOST = { completed: 100, read: 1_000 };

/** Fills the events of meetings that were completed since the last call, from their owners' calendars. */
export async function linkCompletedMeetings(db: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const [claimed] = await db
      .update(calendars)
      .set({ matchDueAt: null })
      .where(
        sql`${calendars.userId} = (select c.user_id from ${calendars} c
          where c.match_due_at is not null order by c.match_due_at limit 1 for update skip locked)`,
      )
      .returning({ userId: calendars.userId });
    if (!claimed) return;
    await linkMeetings(db, claimed.userId, signal, AT_MOST.completed);
  }
}

/** Fills the events of a user's newest meetings that have none and overlap one of the user's calendar. */
export async function linkMeetings(
  db: Database,
  userId: string,
  signal: AbortSignal,
  most = AT_MOST.read,
): Promise<void> {
  const candidates = await runNamedStatement<{ readonly id: string }>(
    db,
    "meetings_for_calendar",
    selectCandidates,
    { userId, most },
  );
  for (let at = 0; at < candidates.length && !signal.aborted; at += BATCH) {
    const ids = writeArray(candidates.slice(at, at + BATCH).map(({ id }) => id));
    const matches = await runNamedStatement<Match>(db, "meetings_in_calendar", selectMatches, { ids });
    for (const match of matches) await db.transaction((tx) => linkMeeting(tx, userId, match));
  }
}

/** A meeting and the event of the calendar that it is. */
interface Match {
  readonly meetingId: string;
  readonly entryId: string;
}

/** Selects the newest meetings without an event. */
const selectCandidates = () => sql`
  select m.id from ${meetings} m
  where m.user_id = ${sql.placeholder("userId")} and m.calendar_event_id is null
    and m.start_time > now() - make_interval(days => ${sql.raw(String(LIMITS.calendarDaysBack))})
    and not exists (select from ${calendarLinks} l where l.meeting_id = m.id and l.event_id is null)
  order by m.created_at desc, m.id desc limit ${sql.placeholder("most")}::int`;

/** When a meeting without an end ended at the latest: as if it had taken an instant. */
const meetingEnd = sql`greatest(coalesce(m.end_time, m.start_time), m.start_time + interval '1 second')`;
const overlap = sql`(least(e.end_time, ${meetingEnd}) - greatest(e.start_time, m.start_time))`;
const sameTitle = sql`coalesce(lower(btrim(e.title)) in (lower(btrim(m.title)), lower(btrim(m.generated_title))), false)`;

/** Maximum number of events of a meeting whose people are compared: there can be many. */
const COMPARED = 5;
/** True if somebody who was invited spoke, the meeting's owner aside. */
const samePeople = sql`exists (
  select from ${participants} p join json_to_recordset(e.attendees::json) as a(email text) on a.email = lower(p.email)
  where p.meeting_id = m.id and a.email <> lower(u.email))`;

/**
 * Finds for each meeting the event that overlaps it best: at least half of the meeting and a quarter of the event, or any part
 * if both have the same title. Events with the same title come first, then those whose people spoke. Days and events of more than
 * a day never match.
 */
const findMatch = sql`
    select e.id, e.title from (
      select e.id, e.title, e.attendees, ${sameTitle} as titled, ${overlap} as shared, e.start_time from ${calendarEntries} e
      where e.user_id = m.user_id
        and e.start_time < ${meetingEnd} and e.start_time > m.start_time - interval '1 day' and e.end_time > m.start_time
        and not e.all_day and e.end_time <= e.start_time + interval '1 day'
        and (${sameTitle} or (${overlap} * 2 >= ${meetingEnd} - m.start_time and ${overlap} * 4 >= e.end_time - e.start_time))
      order by titled desc, shared desc, e.start_time, e.id limit ${sql.raw(String(COMPARED))}
    ) e
    order by e.titled desc, ${samePeople} desc, e.shared desc, e.start_time, e.id limit 1`;

const selectMatches = () => sql`
  select m.id as "meetingId", found.id as "entryId"
  from ${meetings} m join ${users} u on u.id = m.user_id cross join lateral (${findMatch}) found
  where m.id = any(${sql.placeholder("ids")}::text::text[])`;

/** A meeting that is not stored yet. */
interface NewMeeting {
  readonly userId: string;
  readonly title: string;
  readonly startTime: string;
  /** Null if unknown. */
  readonly endTime: string | null;
}

/** Returns the title of the event in the owner's calendar with which a meeting will be linked; null if there is none. */
export async function findEventTitle(db: Database, meeting: NewMeeting): Promise<string | null> {
  const [event] = await runNamedStatement<{ readonly title: string }>(
    db,
    "event_of_new_meeting",
    selectEventTitle,
    { ...meeting },
  );
  return event?.title || null;
}

const selectEventTitle = () => sql`
  select found.title
  from (select '' as id, ${sql.placeholder("userId")}::text as user_id, ${sql.placeholder("title")}::text as title,
      null::text as generated_title, ${sql.placeholder("startTime")}::timestamptz as start_time,
      ${sql.placeholder("endTime")}::timestamptz as end_time) m
    join ${users} u on u.id = m.user_id cross join lateral (${findMatch}) found`;

/** Fills the event of a meeting; no-op if it has one by now, was unlinked, moved or deleted, or if the event is gone. */
async function linkMeeting(tx: Database, ownerId: string, { meetingId, entryId }: Match): Promise<void> {
  await changeMeeting(tx, meetingId, {
    work: async (_, meeting) => {
      if (meeting.ownerId !== ownerId) return null;
      const [known] = await tx
        .select({
          eventId: meetings.calendarEventId,
          linked: calendarLinks.meetingId,
          filled: calendarLinks.eventId,
        })
        .from(meetings)
        .leftJoin(calendarLinks, eq(calendarLinks.meetingId, meetings.id))
        .where(eq(meetings.id, meetingId));
      if (!known || known.eventId !== null || (known.linked !== null && known.filled === null)) return null;
      // Read here and locked: what was erased or unsubscribed in the meantime must not come back.
      const [entry] = await tx
        .select()
        .from(calendarEntries)
        .where(and(eq(calendarEntries.userId, ownerId), eq(calendarEntries.id, entryId)))
        .for("share");
      if (!entry) return null;
      const { uid, title, startTime, endTime } = entry;
      const eventId = generateId("evt");
      await tx
        .insert(calendarLinks)
        .values({ meetingId, eventId })
        .onConflictDoUpdate({ target: calendarLinks.meetingId, set: { eventId } });
      await tx.update(meetings).set({ calendarEventId: eventId }).where(eq(meetings.id, meetingId));
      const event = { meetingId, id: eventId, externalId: uid, title: title || null };
      await tx.insert(calendarEvents).values({ ...event, scheduledTime: startTime, endTime });
      const attendees = JSON.parse(entry.attendees) as FeedAttendee[];
      await insertRows(tx, calendarAttendees, attendees, (attendee, position) => ({
        ...{ ...attendee, meetingId, position },
      }));
      return { index: "notes" };
    },
  });
}

import { LIMITS } from "@minutes/contract";
import { type Database, insertRows, runNamedStatement, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { generateId } from "../lib/ids.js";
import { changeMeeting } from "../versions/index.js";
import type { FeedAttendee } from "./attendees.js";

const { calendarAttendees, calendarEntries, calendarEvents, calendarLinks, calendars, meetings } = schema;

/** Maximum number of meetings that one statement finds. */
const BATCH = 100;

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
    await linkMeetings(db, claimed.userId, signal);
  }
}

/** Fills the events of a user's meetings that have none and overlap one of the user's calendar. */
export async function linkMeetings(db: Database, userId: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const found = await runNamedStatement<Match>(db, "meetings_in_calendar", selectMatches, { userId });
    let linked = 0;
    for (const match of found) if (await db.transaction((tx) => linkMeeting(tx, userId, match))) linked++;
    // A meeting that was linked, unlinked or deleted by others is not found again.
    if (found.length < BATCH || linked === 0) return;
  }
}

/** A meeting and the event of the calendar that it is. */
interface Match {
  readonly meetingId: string;
  readonly uid: string;
  readonly title: string;
  readonly startTime: string;
  readonly endTime: string;
  readonly attendees: string;
}

const userId = sql.placeholder("userId");
/** When a meeting without an end ended at the latest: as if it had taken an instant. */
const meetingEnd = sql`greatest(coalesce(m.end_time, m.start_time), m.start_time + interval '1 second')`;
const overlap = sql`(least(e.end_time, ${meetingEnd}) - greatest(e.start_time, m.start_time))`;
const sameTitle = sql`(lower(btrim(e.title)) in (lower(btrim(m.title)), lower(btrim(m.generated_title))))`;

/**
 * Finds for each meeting the event that overlaps it best: at least half of the meeting, or any part if both have the same title.
 * Days and events of more than a day never match.
 */
const selectMatches = () => sql`
  select distinct on (m.id) m.id as "meetingId", e.uid, e.title, e.start_time as "startTime", e.end_time as "endTime", e.attendees
  from ${meetings} m join ${calendarEntries} e on e.user_id = m.user_id
    and e.start_time < ${meetingEnd} and e.start_time > m.start_time - interval '1 day' and e.end_time > m.start_time
  where m.user_id = ${userId} and m.calendar_event_id is null
    and m.start_time > now() - make_interval(days => ${sql.raw(String(LIMITS.calendarDaysBack))})
    and not e.all_day and e.end_time <= e.start_time + interval '1 day'
    and not exists (select from ${calendarLinks} l where l.meeting_id = m.id and l.event_id is null)
    and (${overlap} * 2 >= ${meetingEnd} - m.start_time or ${sameTitle})
  order by m.id, coalesce(${sameTitle}, false) desc, ${overlap} desc, e.start_time, e.id limit ${sql.raw(String(BATCH))}`;

/** Fills the event of a meeting. @returns false if it has one by now, was unlinked, moved or deleted */
async function linkMeeting(tx: Database, ownerId: string, match: Match): Promise<boolean> {
  const { meetingId, uid, title, startTime, endTime } = match;
  const changed = await changeMeeting<boolean>(tx, meetingId, {
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
      const eventId = generateId("evt");
      await tx
        .insert(calendarLinks)
        .values({ meetingId, eventId })
        .onConflictDoUpdate({ target: calendarLinks.meetingId, set: { eventId } });
      await tx.update(meetings).set({ calendarEventId: eventId }).where(eq(meetings.id, meetingId));
      const event = { meetingId, id: eventId, externalId: uid, title: title || null };
      await tx.insert(calendarEvents).values({ ...event, scheduledTime: startTime, endTime });
      const attendees = JSON.parse(match.attendees) as FeedAttendee[];
      await insertRows(tx, calendarAttendees, attendees, (attendee, position) => ({
        ...{ ...attendee, meetingId, position },
      }));
      return { result: true, index: "notes" };
    },
  });
  return changed?.result === true;
}

import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { UserCaller } from "../access/index.js";
import { endMaskedLinks } from "../lib/end-masked-links.js";
import { ApiError } from "../lib/errors.js";
import { requireMeetingOwner } from "../meetings/index.js";
import { changeMeeting } from "../versions/index.js";

const { calendarEvents, calendarLinks, meetings } = schema;

/**
 * Removes the event that a calendar filled, and ends links that mask its attendees. The meeting stays without one, unless its recorder
 * sends one. Repeating it is a no-op.
 * @throws ApiError 404, 403 unless the caller owns the meeting, 409 for an event of the recorder
 */
export const unlinkEvent = (db: Database, caller: UserCaller, meetingId: string): Promise<void> =>
  db.transaction(async (tx) => {
    const changed = await changeMeeting(tx, meetingId, {
      authorize: () => requireMeetingOwner(tx, caller, meetingId),
      work: async () => {
        const [meeting] = await tx
          .select({ eventId: meetings.calendarEventId, filled: calendarLinks.eventId })
          .from(meetings)
          .leftJoin(calendarLinks, eq(calendarLinks.meetingId, meetings.id))
          .where(eq(meetings.id, meetingId));
        if (!meeting || meeting.eventId === null) return null;
        if (meeting.eventId !== meeting.filled) throw new ApiError("CONFLICT", MESSAGES.eventOfRecorder);
        await tx.update(meetings).set({ calendarEventId: null }).where(eq(meetings.id, meetingId));
        await tx.delete(calendarEvents).where(eq(calendarEvents.meetingId, meetingId));
        await endMaskedLinks(tx, meetingId);
        await tx.update(calendarLinks).set({ eventId: null }).where(eq(calendarLinks.meetingId, meetingId));
        await audit(tx, caller, "calendar.unlink", meetingId);
        return { index: "notes" };
      },
    });
    if (!changed) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  });

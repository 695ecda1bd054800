import type { MeetingImport } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { indexMeeting } from "@minutes/search";
import { sql } from "drizzle-orm";
import { inBatches } from "../batches.js";
import { newId } from "../ids.js";
import type { RenderedSummary } from "../meetings/index.js";
import { ensureTag } from "../tags/index.js";
import type { Membership } from "../workspaces/index.js";

const {
  calendarAttendees,
  calendarEvents,
  meetings,
  meetingTags,
  participants,
  summaries,
  tasks,
  transcriptSegments,
} = schema;

/** The content of a meeting, without the ids under which it was sent. */
export type MeetingContent = Omit<MeetingImport, "externalId" | "ownerEmail">;

export interface StoreOptions {
  /** Null: the meeting has no summary. Its own is not read. */
  readonly summary: RenderedSummary | null;
  /** True: the summary is kept, and shown by nobody until an upgrade. */
  readonly locked: boolean;
  readonly index?: typeof indexMeeting;
}

/** Writes a completed meeting with everything that belongs to it. Part of the completing transaction. */
export async function storeMeeting(
  tx: Database,
  meetingId: string,
  owner: Membership,
  meeting: MeetingContent,
  { summary, locked, index = indexMeeting }: StoreOptions,
): Promise<void> {
  const { userId, workspaceId } = owner;
  const { calendarEvent: event, title, startTime, transcript } = meeting;
  const eventId = event ? newId("evt") : null;
  await tx.insert(meetings).values({
    id: meetingId,
    userId,
    workspaceId,
    title,
    generatedTitle: meeting.generatedTitle ?? null,
    startTime,
    endTime: meeting.endTime ?? null,
    calendarEventId: eventId,
  });
  if (summary) await tx.insert(summaries).values({ meetingId, ...summary, locked });
  await storeTranscript(tx, meetingId, transcript);
  await storeTasks(tx, meetingId, owner, meeting);
  if (event && eventId) await storeEvent(tx, meetingId, eventId, event);
  for (const { name, color } of meeting.tags) {
    const tag = await ensureTag(tx, userId, name, color);
    await tx
      .insert(meetingTags)
      .values({ meetingId, tagId: tag.id, ownerId: userId, startTime })
      .onConflictDoNothing();
  }
  const turns = transcript.map(({ speakerName, text }) => ({ speaker: speakerName, text }));
  await index(tx, meetingId, title, turns);
}

/** Participants are the people who spoke, in the order in which they first did. */
async function storeTranscript(tx: Database, meetingId: string, transcript: MeetingImport["transcript"]) {
  const speakers = new Map<
    string,
    { meetingId: string; id: string; position: number; name: string; email: string | null }
  >();
  for (const { speakerId, speakerName, speakerEmail } of transcript) {
    const known = speakers.get(speakerId);
    if (known) known.email ??= speakerEmail ?? null;
    else
      speakers.set(speakerId, {
        meetingId,
        id: speakerId,
        position: speakers.size,
        name: speakerName,
        email: speakerEmail ?? null,
      });
  }
  await inBatches([...speakers.values()], (rows) => tx.insert(participants).values(rows));
  const segments = transcript.map(({ speakerId, text, start, end }, position) => ({
    meetingId,
    position,
    speakerId,
    text,
    startSeconds: start ?? null,
    endSeconds: end ?? null,
  }));
  await inBatches(segments, (rows) => tx.insert(transcriptSegments).values(rows));
}

async function storeTasks(tx: Database, meetingId: string, owner: Membership, meeting: MeetingContent) {
  const emails = new Map(meeting.transcript.map((segment) => [segment.speakerEmail, segment.speakerId]));
  const names = new Map(meeting.transcript.map((segment) => [segment.speakerName, segment.speakerId]));
  const rows = meeting.tasks.map(({ text, completed, assignee }, position) => ({
    id: newId("tsk"),
    meetingId,
    userId: owner.userId,
    workspaceId: owner.workspaceId,
    position,
    text,
    completed,
    // An assignee who spoke is that participant.
    assigneeId: assignee
      ? ((assignee.email && emails.get(assignee.email)) ?? names.get(assignee.name) ?? null)
      : null,
    assigneeName: assignee?.name ?? null,
    assigneeEmail: assignee?.email ?? null,
    createdAt: sql`now()`,
  }));
  await inBatches(rows, (batch) => tx.insert(tasks).values(batch));
}

async function storeEvent(
  tx: Database,
  meetingId: string,
  id: string,
  event: NonNullable<MeetingImport["calendarEvent"]>,
) {
  await tx.insert(calendarEvents).values({
    meetingId,
    id,
    externalId: event.externalId ?? null,
    title: event.title ?? null,
    scheduledTime: event.scheduledTime ?? null,
    endTime: event.endTime ?? null,
  });
  const rows = event.attendees.map(({ name, email, responseStatus, organizer }, position) => ({
    meetingId,
    position,
    name,
    email,
    responseStatus: responseStatus ?? null,
    organizer,
  }));
  await inBatches(rows, (batch) => tx.insert(calendarAttendees).values(batch));
}

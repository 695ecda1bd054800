import type { MeetingImport } from "@minutes/contract";
import type { Database } from "@minutes/db";
import type { indexMeeting } from "@minutes/search";
import { sql } from "drizzle-orm";
import { generateId } from "../ids.js";
import { type MeetingRows, type RenderedSummary, writeMeeting } from "../meetings/index.js";
import { ensureTag } from "../tags/index.js";
import type { Membership } from "../workspaces/index.js";

/** The content of a meeting, without the ids under which it was sent. */
export type MeetingContent = Omit<MeetingImport, "externalId" | "ownerEmail">;

export interface StoreOptions {
  /** Null: the meeting has no summary. Its own is not read. */
  readonly summary: RenderedSummary | null;
  /** True: the summary is kept, and shown by nobody until an upgrade. */
  readonly locked: boolean;
  readonly index?: typeof indexMeeting;
}

/** Stores a completed meeting under new ids, with the owner's tags. Part of the completing transaction. */
export async function storeMeeting(
  tx: Database,
  meetingId: string,
  { userId, workspaceId }: Membership,
  content: MeetingContent,
  { summary, locked, index }: StoreOptions,
): Promise<void> {
  const { title, startTime, transcript } = content;
  const event = toEvent(content);
  const tagIds: string[] = [];
  for (const { name, color } of content.tags) tagIds.push((await ensureTag(tx, userId, name, color)).id);
  const rows: MeetingRows = {
    meeting: {
      id: meetingId,
      userId,
      workspaceId,
      title,
      generatedTitle: content.generatedTitle ?? null,
      startTime,
      endTime: content.endTime ?? null,
      calendarEventId: event?.id ?? null,
    },
    summary: summary && { ...summary, locked },
    participants: toParticipants(transcript),
    segments: transcript.map(({ speakerId, text, start, end }) => ({
      speakerId,
      text,
      startSeconds: start ?? null,
      endSeconds: end ?? null,
    })),
    tasks: toTasks(content),
    event,
    tagIds,
    turns: transcript.map(({ speakerName, text }) => ({ speaker: speakerName, text })),
  };
  await writeMeeting(tx, rows, index);
}

/** Lists the people who spoke, in the order in which they first did. */
function toParticipants(transcript: MeetingContent["transcript"]): MeetingRows["participants"] {
  const speakers = new Map<string, { id: string; name: string; email: string | null }>();
  for (const { speakerId, speakerName, speakerEmail } of transcript) {
    const known = speakers.get(speakerId);
    if (known) known.email ??= speakerEmail ?? null;
    else speakers.set(speakerId, { id: speakerId, name: speakerName, email: speakerEmail ?? null });
  }
  return [...speakers.values()];
}

/** Converts tasks to rows. An assignee who spoke, by e-mail address or name, is that participant. */
function toTasks({ transcript, tasks }: MeetingContent): MeetingRows["tasks"] {
  const emails = new Map(transcript.map((segment) => [segment.speakerEmail, segment.speakerId]));
  const names = new Map(transcript.map((segment) => [segment.speakerName, segment.speakerId]));
  return tasks.map(({ text, completed, assignee }) => ({
    id: generateId("tsk"),
    text,
    completed,
    assigneeId: assignee
      ? ((assignee.email && emails.get(assignee.email)) ?? names.get(assignee.name) ?? null)
      : null,
    assigneeName: assignee?.name ?? null,
    assigneeEmail: assignee?.email ?? null,
    createdAt: sql`now()`,
  }));
}

function toEvent({ calendarEvent: event }: MeetingContent): MeetingRows["event"] {
  if (!event) return null;
  return {
    id: generateId("evt"),
    externalId: event.externalId ?? null,
    title: event.title ?? null,
    scheduledTime: event.scheduledTime ?? null,
    endTime: event.endTime ?? null,
    attendees: event.attendees.map(({ name, email, responseStatus, organizer }) => ({
      name,
      email,
      responseStatus: responseStatus ?? null,
      organizer,
    })),
  };
}

import type { MeetingImport } from "@minutes/contract";
import { type Database, yieldToEventLoop } from "@minutes/db";
import { generateId } from "../lib/ids.js";
import {
  ensureTag,
  type MeetingRows,
  type RenderedSummary,
  toFacts,
  writeMeeting,
} from "../meetings/index.js";
import { findAssignee } from "../people/index.js";
import type { Membership } from "../workspaces/index.js";

/** The content of a meeting, without the ids it was sent with. */
export type MeetingContent = Omit<MeetingImport, "externalId" | "ownerEmail">;

export interface StoreOptions {
  /** Null: the meeting has no summary. The meeting's own `summary` is ignored. */
  readonly summary: RenderedSummary | null;
  /** True: the summary is stored but hidden until an upgrade. */
  readonly locked: boolean;
}

/**
 * Stores a completed meeting under new ids, with the owner's tags. Part of the completing transaction.
 * @returns fields that were sent but not stored
 */
export async function storeMeeting(
  tx: Database,
  meetingId: string,
  { userId, workspaceId }: Membership,
  content: MeetingContent,
  { summary, locked }: StoreOptions,
): Promise<string[]> {
  const { title, startTime, transcript } = content;
  await yieldToEventLoop();
  const parts = toParts(content);
  await yieldToEventLoop();
  const notStored = listConflictingSpeakers(transcript, parts.participants);
  const tagIds: string[] = [];
  // In one order, so that imports which create the same tags don't deadlock.
  for (const { name, color } of content.tags.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const tag = await ensureTag(tx, userId, name, color);
    tagIds.push(tag.id);
    if (color && color.toLowerCase() !== tag.color.toLowerCase()) notStored.push("tags.color");
  }
  const rows: MeetingRows = {
    meeting: {
      id: meetingId,
      userId,
      workspaceId,
      title,
      ...toFacts(content),
      startTime,
      endTime: content.endTime ?? null,
      calendarEventId: parts.event?.id ?? null,
    },
    summary: summary && { ...summary, locked },
    ...parts,
    tagIds,
  };
  await writeMeeting(tx, rows);
  return [...new Set(notStored)];
}

/** Converts a meeting's parts to rows with new ids. */
export function toParts(
  content: MeetingContent,
): Pick<MeetingRows, "participants" | "segments" | "tasks" | "event" | "turns"> {
  const { transcript } = content;
  return {
    participants: toParticipants(transcript),
    segments: transcript.map(({ speakerId, text, start, end }) => ({
      speakerId,
      text,
      startSeconds: start ?? null,
      endSeconds: end ?? null,
    })),
    tasks: toTasks(content),
    event: toEvent(content),
    turns: transcript.map(({ speakerName, text }) => ({ speaker: speakerName, text })),
  };
}

/** Lists the fields of speakers with several values for one id. The first value is stored. */
export function listConflictingSpeakers(
  transcript: MeetingContent["transcript"],
  participants = toParticipants(transcript),
): string[] {
  const speakers = new Map(participants.map((speaker) => [speaker.id, speaker]));
  const fields = new Set<string>();
  for (const { speakerId, speakerName, speakerEmail } of transcript) {
    const stored = speakers.get(speakerId);
    if (stored?.name !== speakerName) fields.add("transcript.speakerName");
    if (speakerEmail !== undefined && stored?.email !== speakerEmail) fields.add("transcript.speakerEmail");
  }
  return [...fields];
}

/** Builds the answer's field for values that were not stored; empty if everything was stored. */
export const nameNotStored = (fields: string[]): { notStored?: string[] } =>
  fields.length > 0 ? { notStored: fields } : {};

/** Lists the people who spoke, in order of their first turn. */
function toParticipants(transcript: MeetingContent["transcript"]): MeetingRows["participants"] {
  const speakers = new Map<string, { id: string; name: string; email: string | null }>();
  for (const { speakerId, speakerName, speakerEmail } of transcript) {
    const known = speakers.get(speakerId);
    if (known) known.email ??= speakerEmail ?? null;
    else speakers.set(speakerId, { id: speakerId, name: speakerName, email: speakerEmail ?? null });
  }
  return [...speakers.values()];
}

/**
 * Converts tasks to rows. An assignee who spoke is the participant. A task without
 * a time gets the end of the meeting, so that lists by date show imported tasks at that time. IDs descend, because lists
 * sort tasks of the same time by descending ID: they show a meeting's tasks in its order.
 */
function toTasks({ startTime, endTime, transcript, tasks }: MeetingContent): MeetingRows["tasks"] {
  if (tasks.length === 0) return [];
  const speakers = toParticipants(transcript);
  const ids = tasks.map(() => generateId("tsk")).toSorted();
  return tasks.map(({ text, completed, assignee, due, createdAt }) => ({
    id: ids.pop() as string,
    text,
    completed,
    assigneeId: (assignee && findAssignee(speakers, assignee)?.id) ?? null,
    assigneeName: assignee?.name ?? null,
    assigneeEmail: assignee?.email ?? null,
    dueOn: due ?? null,
    createdAt: createdAt ?? endTime ?? startTime,
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

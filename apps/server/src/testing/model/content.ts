import { type Database, schema } from "@minutes/db";
import { asc, eq } from "drizzle-orm";
import { identify } from "./identify.js";
import type { Content, Meeting, Sent, World } from "./world.js";

/** The ids that the service generated for a meeting. */
interface GeneratedIds {
  /** In order. */
  readonly tasks: readonly string[];
  readonly event: string | null;
}

/** Reads the ids of a meeting's tasks and calendar event. */
export async function readIds(db: Database, meetingId: string): Promise<GeneratedIds> {
  const tasks = await db
    .select({ id: schema.tasks.id })
    .from(schema.tasks)
    .where(eq(schema.tasks.meetingId, meetingId))
    .orderBy(asc(schema.tasks.position));
  const [event] = await db
    .select({ id: schema.calendarEvents.id })
    .from(schema.calendarEvents)
    .where(eq(schema.calendarEvents.meetingId, meetingId));
  return { tasks: tasks.map(({ id }) => id), event: event?.id ?? null };
}

/** Returns the content of a meeting that was sent. @param locked whether the plan locks its summary */
export function toContent(
  world: World,
  meeting: Meeting,
  sent: Sent,
  ids: GeneratedIds,
  locked: boolean,
): Content {
  const { title, generatedTitle = null, startTime, endTime, summary, transcript, calendarEvent } = sent;
  const labels = [...new Set(transcript.map(({ speakerId }) => speakerId))];
  const speakers = labels.map((label, position) => {
    const turns = transcript.filter(({ speakerId }) => speakerId === label);
    const email = turns.map(({ speakerEmail }) => speakerEmail).find(Boolean);
    return { label, position, name: turns[0]?.speakerName ?? "", email: email?.toLowerCase() ?? null };
  });
  const tasks = sent.tasks.map(({ text, completed, assignee, createdAt = endTime }, position) => {
    const [name, email] = [assignee?.name, assignee?.email?.toLowerCase() ?? null];
    const speaker = speakers.find((one) => (email === null ? one.name === name : one.email === email));
    return {
      ...{ id: ids.tasks[position] ?? "", createdAt, position, text, completed },
      assignee: name === undefined ? null : { label: speaker?.label ?? null, name, email },
    };
  });
  return {
    ...{ title, generatedTitle, startTime, endTime },
    summary: summary
      ? {
          markdown: summary.markdown,
          short: summary.short ?? summary.markdown.replaceAll("**", ""),
          locked,
        }
      : null,
    ...identify(world, meeting.owner.workspace, { speakers, tasks }, meeting.content.speakers),
    turns: transcript.map(({ speakerId, text }) => ({ label: speakerId, text })),
    event: calendarEvent
      ? {
          ...calendarEvent,
          attendees: calendarEvent.attendees.map((one) => ({ ...one, email: one.email.toLowerCase() })),
          id: ids.event ?? "",
        }
      : null,
  };
}

/** The content of a recording that has not ended. */
export const toUnfinished = ({ title, startTime, endTime }: Sent): Content => ({
  ...{ title, generatedTitle: null, startTime, endTime, summary: null },
  ...{ speakers: [], turns: [], event: null, tasks: [] },
});

import type { MeetingImportInput } from "@minutes/contract";
import { writeMarkdown, writeVtt } from "@minutes/transcripts/write";
import { toLocalDay } from "../components/times";
import { meClient } from "./clients";
import { saveText } from "./save";

type Detail = Awaited<ReturnType<typeof meClient.meetings.get.query>>;

/** Writes a file name such as `2026-03-01 Gearbox review`, with the day in the reader's time zone. Characters that some file systems refuse become spaces. */
const toFileName = ({ startTime, title }: Pick<Detail, "startTime" | "title">): string =>
  `${toLocalDay(startTime)} ${title}`
    .replaceAll(/[\p{Cc}\\/:*?"<>|]+/gu, " ")
    .replaceAll(/\s+/g, " ")
    .slice(0, 120)
    .trim();

/** Fetches a meeting in the format that uploads accept. */
export async function readImport(meetingId: string): Promise<MeetingImportInput> {
  const [meeting, { segments }] = await Promise.all([
    meClient.meetings.get.query({ meetingId }),
    meClient.meetings.transcript.query({ meetingId }),
  ]);
  const speakers = new Map(meeting.participants.map((one) => [one.id, one]));
  const { summary, event } = meeting;
  return {
    externalId: `minutes:${meetingId}`,
    ownerEmail: meeting.user.email,
    title: meeting.title,
    ...(meeting.generatedTitle ? { generatedTitle: meeting.generatedTitle } : {}),
    startTime: meeting.startTime,
    ...(meeting.endTime ? { endTime: meeting.endTime } : {}),
    transcript: segments.map(({ speakerId, speakerName, text, startSeconds, endSeconds }) => {
      const speaker = speakers.get(speakerId);
      return {
        speakerId,
        speakerName,
        ...(speaker?.email ? { speakerEmail: speaker.email } : {}),
        text,
        ...(startSeconds === null ? {} : { start: startSeconds }),
        ...(endSeconds === null ? {} : { end: endSeconds }),
      };
    }),
    ...(summary.markdown
      ? { summary: { markdown: summary.markdown, ...(summary.short ? { short: summary.short } : {}) } }
      : {}),
    tasks: meeting.tasks.map(({ content, completed, assignee }) => ({
      text: content,
      completed,
      ...(assignee
        ? { assignee: { name: assignee.name, ...(assignee.email ? { email: assignee.email } : {}) } }
        : {}),
    })),
    tags: meeting.tags,
    ...(event.attendees.length > 0
      ? {
          calendarEvent: {
            title: event.title,
            attendees: event.attendees.map(({ responseStatus, ...attendee }) => ({
              ...attendee,
              ...(responseStatus ? { responseStatus } : {}),
            })),
          },
        }
      : {}),
  };
}

/** Saves a meeting as a file, by format. */
export const MEETING_EXPORTERS = {
  Markdown: async (meetingId: string) => {
    const meeting = await meClient.meetings.get.query({ meetingId });
    saveText(`${toFileName(meeting)}.md`, "text/markdown", writeMarkdown(meeting));
  },
  WebVTT: async (meetingId: string) => {
    const [meeting, { segments }] = await Promise.all([
      meClient.meetings.get.query({ meetingId }),
      meClient.meetings.transcript.query({ meetingId }),
    ]);
    const turns = segments.map(({ speakerName, text, startSeconds, endSeconds }) => ({
      ...{ speaker: speakerName, text, start: startSeconds, end: endSeconds },
    }));
    saveText(`${toFileName(meeting)}.vtt`, "text/vtt", writeVtt(turns));
  },
  JSON: async (meetingId: string) => {
    const meeting = await readImport(meetingId);
    saveText(`${toFileName(meeting)}.json`, "application/json", JSON.stringify(meeting, null, 2));
  },
} as const;

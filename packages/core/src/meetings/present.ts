import type { MeetingDetail } from "@minutes/contract";

/** A turn of the transcript: who, and what was said. */
export interface Turn {
  readonly speaker: string;
  readonly text: string;
}

/** A speaker's name can't end its own bold print. */
const escapeName = (name: string): string => name.replace(/[\\*_`]/g, "\\$&");

/** The whole transcript as Markdown: each speaker's name bold, then what was said. */
export const transcriptMarkdown = (turns: readonly Turn[]): string =>
  turns.map((turn) => `**${escapeName(turn.speaker)}**: ${turn.text}`).join("\n\n");

/** What a meeting's calendar data is when no event is linked, and where an event leaves something out. */
export const presentEvent = (
  meeting: Pick<MeetingDetail, "title" | "startTime" | "endTime">,
  event: {
    id: string | null;
    externalId: string | null;
    title: string | null;
    scheduledTime: string | null;
    endTime: string | null;
  },
  attendees: MeetingDetail["event"]["attendees"],
): MeetingDetail["event"] => ({
  id: event.id,
  externalId: event.externalId,
  title: event.title ?? meeting.title,
  scheduledTime: event.scheduledTime ?? meeting.startTime,
  endTime: event.endTime ?? meeting.endTime,
  attendees,
});

import type { MeetingDetail } from "@minutes/contract";
import { withoutTitle } from "@minutes/transcripts/write";

const PREFIX = "minutes://meeting/";

/** Meetings as resources of the protocol. */
export const MEETING_TEMPLATE = {
  uriTemplate: `${PREFIX}{meetingId}`,
  name: "meeting",
  title: "Meeting",
  description:
    "A meeting's summary, participants and tasks as Markdown. Its transcript is read with get_transcript.",
  mimeType: "text/markdown",
} as const;

/** Returns the ID of the meeting that an address names; null for other addresses. */
export function readMeetingUri(uri: string): string | null {
  const id = uri.startsWith(PREFIX) ? uri.slice(PREFIX.length) : "";
  return id === "" ? null : id;
}

/** Marks each line of a text as quoted, so that its headings can't pass for those of the document. */
export const quote = (text: string): string =>
  text
    .trim()
    .split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/u)
    .map((line) => `> ${line}`.trimEnd())
    .join("\n");

/** Says why a meeting's summary is empty. Workspace keys aren't told whether it is locked. */
export function explainEmptySummary(meeting: object): string {
  if (!("summaryLocked" in meeting)) return "It has no summary, or a locked one";
  return meeting.summaryLocked ? "Its summary is locked" : "It has no summary";
}

/** Writes a meeting as Markdown, without its transcript. */
export function writeMeeting(meeting: MeetingDetail): string {
  const { title, startTime, participants, summary, tasks } = meeting;
  const people = participants.map(({ name }) => name).join(", ");
  const items = tasks.map(
    ({ content, completed, assignee }) =>
      `- [${completed ? "x" : " "}] ${content}${assignee ? ` (${assignee.name})` : ""}`,
  );
  const said = withoutTitle(summary.markdown, title);
  return [
    `# ${title}`,
    `${startTime.slice(0, 10)}${people === "" ? "" : `, ${people}`}`,
    said.trim() === "" ? `${explainEmptySummary(meeting)}.` : quote(said),
    ...(items.length > 0 ? ["## Tasks", items.join("\n")] : []),
  ]
    .filter(Boolean)
    .join("\n\n");
}

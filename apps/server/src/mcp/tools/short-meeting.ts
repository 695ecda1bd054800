import type { TaskListItem } from "@minutes/contract";
import type { withoutTranscriptAndHtml } from "../transcript.js";
import { ANSWER_BYTES, getSize } from "./size.js";

/** Minimum size of a shortened meeting's summary, in bytes. */
const SUMMARY_BYTES = 2_000;
const NOTE =
  "Shortened to 6 KB: the summary or a list is incomplete. Set everything to true for all, or list_tasks with meetingId for the tasks.";

/** Returns a task as `get_meeting` has it. */
export const pickTask = ({
  id,
  text,
  completed,
  assignee,
  due,
}: TaskListItem & { readonly due?: string | null }) => ({
  ...{ id, text, completed, assignee },
  ...(due === undefined ? {} : { due }),
});

/** What `get_meeting` answers. */
type Meeting = Omit<Awaited<ReturnType<typeof withoutTranscriptAndHtml>>, "tasks"> & {
  readonly tasks: ReturnType<typeof pickTask>[];
  readonly url: string;
  readonly note?: string;
};

/** Cuts a text at a character so that its JSON fits. */
function cutText(text: string, bytes: number): string {
  let end = Math.min(text.length, bytes);
  while (end > 0 && getSize(text.slice(0, end)) > bytes) end = Math.floor(end * 0.9);
  return end === text.length ? text : text.slice(0, end).replace(/[\uD800-\uDBFF]$/, "");
}

/**
 * Shortens a meeting to the size of an answer: lists by halves, the longest first, then the summary.
 * @param total number of all its tasks, also those that were not read
 */
export function shortenMeeting(meeting: Meeting, total: number): Meeting {
  if (getSize(meeting) <= ANSWER_BYTES) return meeting;
  const { markdown } = meeting.summary;
  const lists = {
    ...{ tasks: meeting.tasks, participants: meeting.participants, tags: meeting.tags },
    attendees: meeting.event.attendees,
  } as Record<string, unknown[]>;
  const build = (text: string): Meeting => {
    const { attendees, ...shorter } = lists;
    const count = shorter.tasks?.length ?? 0;
    const notes = [meeting.note, NOTE, count < total ? `It has ${count} of ${total} tasks.` : undefined];
    const note = notes.filter((sentence) => sentence !== undefined).join(" ");
    return {
      ...{ ...meeting, ...shorter, note, event: { ...meeting.event, attendees } },
      summary: { ...meeting.summary, markdown: text },
    } as Meeting;
  };
  const least = cutText(markdown, SUMMARY_BYTES);
  while (getSize(build(least)) > ANSWER_BYTES) {
    const [longest] = Object.entries(lists).toSorted(([, a], [, b]) => getSize(b) - getSize(a));
    if (!longest || longest[1].length <= 1) break;
    lists[longest[0]] = longest[1].slice(0, Math.ceil(longest[1].length / 2));
  }
  const left = ANSWER_BYTES - getSize(build(""));
  return build(left > 0 ? cutText(markdown, left) : least);
}

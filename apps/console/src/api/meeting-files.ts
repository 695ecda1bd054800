import type { MeetingImportInput } from "@minutes/contract";
import { withoutTitle, writeMarkdown, writeSrt, writeVtt } from "@minutes/transcripts/write";
import { formatStart, toLocalDay, toLocalStart } from "../components/times";
import { meClient } from "./clients";
import { loadWhenReachable } from "./connection";
import { saveText } from "./save";
import { createRefusal } from "./transport";

type Detail = Awaited<ReturnType<typeof meClient.meetings.get.query>>;

/** Writes a file name such as `2026-03-01 Gearbox review`, with the day in the reader's time zone. Characters that some file systems refuse become spaces. */
const toFileName = ({
  title,
  startTime,
  startPrecision = null,
}: Pick<MeetingImportInput, "title" | "startTime"> & {
  readonly startPrecision?: string | null | undefined;
}): string =>
  `${toLocalDay(toLocalStart({ startTime, startPrecision }))} ${title}`
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
    ...(meeting.startPrecision ? { startPrecision: meeting.startPrecision as "day" | "guess" } : {}),
    ...(meeting.endTime ? { endTime: meeting.endTime } : {}),
    ...(meeting.recordingUrl ? { recordingUrl: meeting.recordingUrl } : {}),
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
    tasks: meeting.tasks.map(({ content, completed, assignee, due }) => ({
      text: content,
      completed,
      ...(due ? { due } : {}),
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

/** Fetches a meeting and its turns with their times. */
async function readTurns(meetingId: string) {
  const [meeting, { segments }] = await Promise.all([
    meClient.meetings.get.query({ meetingId }),
    meClient.meetings.transcript.query({ meetingId }),
  ]);
  const turns = segments.map(({ speakerName, text, startSeconds, endSeconds }) => ({
    ...{ speaker: speakerName, text, start: startSeconds, end: endSeconds },
  }));
  return { meeting, turns };
}

const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";

/** Saves a meeting as a file, by format. */
export const MEETING_EXPORTERS = {
  Markdown: async (meetingId: string) => {
    const meeting = await meClient.meetings.get.query({ meetingId });
    saveText(`${toFileName(meeting)}.md`, "text/markdown", writeMarkdown(meeting));
  },
  Word: async (meetingId: string) => {
    const [{ meeting, turns }, { writeDocx }] = await Promise.all([
      readTurns(meetingId),
      loadWhenReachable(() => import("@minutes/transcripts/write-docx")),
    ]);
    const document = writeDocx({ ...meeting, when: formatStart(meeting) }, turns);
    saveText(`${toFileName(meeting)}.docx`, DOCX, document);
  },
  WebVTT: async (meetingId: string) => {
    const { meeting, turns } = await readTurns(meetingId);
    saveText(`${toFileName(meeting)}.vtt`, "text/vtt", writeVtt(turns));
  },
  SubRip: async (meetingId: string) => {
    const { meeting, turns } = await readTurns(meetingId);
    if (turns.every(({ start }) => start === null))
      throw createRefusal("This transcript has no times, so it has no subtitles.");
    saveText(`${toFileName(meeting)}.srt`, "application/x-subrip", writeSrt(turns));
  },
  JSON: async (meetingId: string) => {
    const meeting = await readImport(meetingId);
    saveText(`${toFileName(meeting)}.json`, "application/json", JSON.stringify(meeting, null, 2));
  },
} as const;

/** Returns the clipboard. @throws Error if the page has none, because its address is neither https nor localhost */
function getClipboard(): Clipboard {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (!clipboard) throw createRefusal("Browsers copy only from pages whose address begins with https.");
  return clipboard;
}

/** Copies a text. Calls the browser at once, which allows it only while it handles the click. */
export const copyText = async (text: string): Promise<void> => getClipboard().writeText(text);

/** Copies a meeting's title, time, summary and tasks, as HTML for an e-mail and as text. */
export async function copyForMail(meetingId: string): Promise<void> {
  const clipboard = getClipboard();
  // Browsers allow copying only while they handle the click, so the item is given before its content is there.
  const mail = meClient.meetings.get.query({ meetingId }).then(writeMail);
  const toBlob = async (type: keyof ReturnType<typeof writeMail>) => new Blob([(await mail)[type]], { type });
  await clipboard.write([
    new ClipboardItem({ "text/html": toBlob("text/html"), "text/plain": toBlob("text/plain") }),
  ]);
}

function writeMail(meeting: Detail) {
  const { title, summary, tasks } = meeting;
  const page = document.implementation.createHTMLDocument();
  const add = (parent: Element, name: string, text = "") => {
    const element = parent.appendChild(page.createElement(name));
    element.textContent = text;
    return element;
  };
  const lines = tasks.map(({ content, completed, assignee }) => {
    const who = assignee ? ` (${assignee.name})` : "";
    return `${completed ? "☑" : "☐"} ${content}${who}`;
  });
  const time = formatStart(meeting);
  add(page.body, "h2", title);
  add(page.body, "p", time);
  // Rendered and made safe by the service.
  add(page.body, "div").innerHTML = summary.html;
  if (lines.length > 0) {
    add(page.body, "h3", "Tasks");
    const list = add(page.body, "ul");
    for (const line of lines) add(list, "li", line);
  }
  const parts = [
    title,
    time,
    withoutTitle(summary.markdown, title),
    ...(lines.length > 0 ? [`Tasks\n${lines.join("\n")}`] : []),
  ];
  return {
    "text/html": page.body.innerHTML,
    "text/plain": `${parts.filter(Boolean).join("\n\n")}\n`,
  };
}

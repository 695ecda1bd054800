import type { MeetingDetail } from "@minutes/contract";
import { splitLines } from "./transcript.js";

/** A turn of a stored meeting. Times are in seconds from its start. */
export interface StoredTurn {
  readonly speaker: string;
  readonly text: string;
  readonly start: number | null;
  readonly end: number | null;
}

/** Duration in seconds of a cue without an end that no other follows. */
const LAST_SECONDS = 5;

const NO_TIMES = "NOTE\nThis transcript has no times, so it has no cues.";

/** What is on screen from `start` to `until`, in seconds. */
interface Cue {
  readonly start: number;
  readonly until: number;
  readonly voices: readonly StoredTurn[];
}

/**
 * Groups turns into cues. No time is invented: a turn without one is in the cue of the turn before, or of the first that
 * has one. A cue without an end lasts until the next one. Without any times there are no cues.
 */
function toCues(turns: readonly StoredTurn[]): Cue[] {
  const cues: { start: number; end: number | null; voices: StoredTurn[] }[] = [];
  let before: StoredTurn[] = [];
  for (const turn of turns) {
    if (turn.start !== null) {
      cues.push({ start: turn.start, end: turn.end, voices: [...before, turn] });
      before = [];
    } else (cues.at(-1)?.voices ?? before).push(turn);
  }
  return cues.map(({ start, end, voices }, at) => {
    const next = cues[at + 1]?.start ?? 0;
    const until = Math.max(end ?? (next > start ? next : start + LAST_SECONDS), start + 0.001);
    return { start, until, voices };
  });
}

/** Writes a transcript as WebVTT, with a voice for each turn. */
export function writeVtt(turns: readonly StoredTurn[]): string {
  const cues = toCues(turns).map(({ start, until, voices }) => {
    const lines = voices.map(({ speaker, text }) => `<v ${escapeVtt(speaker)}>${escapeVtt(text)}</v>`);
    return `${formatTimestamp(start, ".")} --> ${formatTimestamp(until, ".")}\n${lines.join("\n")}`;
  });
  return `${["WEBVTT", ...(turns.length > 0 && cues.length === 0 ? [NO_TIMES] : cues)].join("\n\n")}\n`;
}

/** Writes a transcript as SubRip, with each turn as `Name: text`, after a dash if there are several. Without times it is empty. */
export const writeSrt = (turns: readonly StoredTurn[]): string =>
  toCues(turns)
    .map(({ start, until, voices }, at) => {
      const dash = voices.length > 1 ? "- " : "";
      const lines = voices.map(({ speaker, text }) => `${dash}${toOneLine(speaker)}: ${toOneLine(text)}`);
      const times = `${formatTimestamp(start, ",")} --> ${formatTimestamp(until, ",")}`;
      return `${at + 1}\n${times}\n${lines.join("\n")}\n`;
    })
    .join("\n");

function formatTimestamp(seconds: number, point: "." | ","): string {
  const milliseconds = Math.round(seconds * 1000);
  const formatPart = (size: number, of: number, width: number) =>
    String(Math.floor(milliseconds / size) % of).padStart(width, "0");
  const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, "0");
  return `${hours}:${formatPart(60_000, 60, 2)}:${formatPart(1000, 60, 2)}${point}${formatPart(1, 1000, 3)}`;
}

/** Removes characters with a meaning inside a cue: markup, and the empty line that ends it. */
const escapeVtt = (text: string): string =>
  toOneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/**
 * Joins the lines of a text with single spaces. A regular expression for whitespace around line ends would take
 * quadratic time.
 */
const toOneLine = (text: string): string => {
  const lines = splitLines(text);
  if (lines.length === 1) return text;
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .join(" ");
};

/** Removes the heading of a summary that only repeats the meeting's title, or its beginning. */
export function withoutTitle(markdown: string, title: string): string {
  const [first = "", ...lines] = markdown.trimStart().split("\n");
  const [, heading] = /^#{1,6} (.*)$/.exec(first) ?? [];
  if (heading === undefined || !repeatsTitle(heading, title)) return markdown;
  return lines.join("\n").trim();
}

/** Returns true for a heading that only repeats a meeting's title, or its beginning. */
export const repeatsTitle = (heading: string, title: string): boolean =>
  toWords(title).startsWith(toWords(heading));

/** Compares by letters and digits alone. */
const toWords = (text: string): string =>
  `${
    text
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join(" ") ?? ""
  } `;

/** Writes a meeting as a Markdown document. */
export function writeMarkdown(meeting: MeetingDetail & { readonly startPrecision?: string | null }): string {
  const { title, generatedTitle, startTime, endTime, user, summary, tasks, tags, transcript } = meeting;
  const facts = [
    meeting.startPrecision === "day"
      ? `- Date: ${startTime.slice(0, 10)}`
      : `- Date: ${startTime}${endTime ? ` – ${endTime}` : ""}`,
    `- Recorded by: ${user.email}`,
    ...(generatedTitle ? [`- Generated title: ${generatedTitle}`] : []),
    ...(tags.length > 0 ? [`- Tags: ${tags.map(({ name }) => name).join(", ")}`] : []),
  ];
  const writeSection = (name: string, text: string) => (text === "" ? [] : [`## ${name}`, text]);
  const list = tasks
    .map(({ content, completed, assignee }) => {
      const who = assignee ? ` (${assignee.name})` : "";
      return `- [${completed ? "x" : " "}] ${toOneLine(content)}${who}`;
    })
    .join("\n");
  return `${[
    `# ${title}`,
    facts.join("\n"),
    ...writeSection("Summary", withoutTitle(summary.markdown, title)),
    ...writeSection("Tasks", list),
    ...writeSection("Transcript", transcript),
  ].join("\n\n")}\n`;
}

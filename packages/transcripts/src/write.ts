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

/**
 * Writes a transcript as WebVTT, with a voice for each turn. No time is invented: a turn without one is in the cue of the
 * turn before, or of the first that has one. A cue without an end lasts until the next one.
 */
export function writeVtt(turns: readonly StoredTurn[]): string {
  const cues: { start: number; end: number | null; voices: string[] }[] = [];
  let before: string[] = [];
  for (const { speaker, text, start, end } of turns) {
    const voice = `<v ${escapeVtt(speaker)}>${escapeVtt(text)}</v>`;
    if (start !== null) {
      cues.push({ start, end, voices: [...before, voice] });
      before = [];
    } else (cues.at(-1)?.voices ?? before).push(voice);
  }
  const written = cues.map(({ start, end, voices }, at) => {
    const next = cues[at + 1]?.start ?? 0;
    const until = Math.max(end ?? (next > start ? next : start + LAST_SECONDS), start + 0.001);
    return `${formatTimestamp(start)} --> ${formatTimestamp(until)}\n${voices.join("\n")}`;
  });
  return `${["WEBVTT", ...(before.length > 0 ? [NO_TIMES] : written)].join("\n\n")}\n`;
}

function formatTimestamp(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const formatPart = (size: number, of: number, width: number) =>
    String(Math.floor(milliseconds / size) % of).padStart(width, "0");
  const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, "0");
  return `${hours}:${formatPart(60_000, 60, 2)}:${formatPart(1000, 60, 2)}.${formatPart(1, 1000, 3)}`;
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
export function writeMarkdown(meeting: MeetingDetail): string {
  const { title, generatedTitle, startTime, endTime, user, summary, tasks, tags, transcript } = meeting;
  const facts = [
    `- Date: ${startTime}${endTime ? ` – ${endTime}` : ""}`,
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

import type { MeetingDetail } from "@minutes/contract";

/** A turn of a stored meeting. Times are in seconds from its start. */
export interface StoredTurn {
  readonly speaker: string;
  readonly text: string;
  readonly start: number | null;
  readonly end: number | null;
}

/** Seconds for which a turn without times is shown. */
const UNTIMED_SECONDS = 5;

/** Writes a transcript as WebVTT, with a voice in each cue. A turn without times follows the one before. */
export function writeVtt(turns: readonly StoredTurn[]): string {
  let clock = 0;
  const cues = turns.map(({ speaker, text, start, end }) => {
    const from = start ?? clock;
    const to = Math.max(end ?? from + UNTIMED_SECONDS, from + 0.001);
    clock = to;
    return `${formatTimestamp(from)} --> ${formatTimestamp(to)}\n<v ${escapeVtt(speaker)}>${escapeVtt(text)}</v>`;
  });
  return `${["WEBVTT", ...cues].join("\n\n")}\n`;
}

function formatTimestamp(seconds: number): string {
  const milliseconds = Math.round(seconds * 1000);
  const formatPart = (size: number, of: number, width: number) =>
    String(Math.floor(milliseconds / size) % of).padStart(width, "0");
  const hours = String(Math.floor(milliseconds / 3_600_000)).padStart(2, "0");
  return `${hours}:${formatPart(60_000, 60, 2)}:${formatPart(1000, 60, 2)}.${formatPart(1, 1000, 3)}`;
}

/** Removes what has a meaning within a cue: markup, and the empty line that ends it. */
const escapeVtt = (text: string): string =>
  toOneLine(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Joins the lines of a text by single spaces. An expression for blanks around line ends takes quadratic time on blanks. */
const toOneLine = (text: string): string =>
  text.includes("\n")
    ? text
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "")
        .join(" ")
    : text;

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
    ...writeSection("Summary", summary.markdown),
    ...writeSection("Tasks", list),
    ...writeSection("Transcript", transcript),
  ].join("\n\n")}\n`;
}

import type { MeetingDetail } from "@minutes/contract";
import { strToU8, zipSync } from "fflate";
import { CONTENT_TYPES, NAMESPACE, RELATIONS, STYLES, writeNumbering } from "./docx-parts.js";
import { SummaryWriter } from "./docx-summary.js";
import { writeParagraph, writeRun, writeText } from "./docx-text.js";
import { splitLines } from "./transcript.js";
import { repeatsTitle, type StoredTurn } from "./write.js";

/** What a document shows of a meeting. `when` is its time, as readers write it. */
export interface DocumentMeeting
  extends Pick<MeetingDetail, "title" | "user" | "summary" | "tasks" | "tags"> {
  readonly when: string;
}

/**
 * Writes a meeting as a Word document: facts, summary, tasks and transcript. A turn has a time only if it is known. Takes time and
 * memory in proportion to the text, some seconds for the longest meetings, so servers don't call it.
 */
export function writeDocx(meeting: DocumentMeeting, turns: readonly StoredTurn[]): Uint8Array<ArrayBuffer> {
  const { title, when, user, summary, tasks, tags } = meeting;
  const notes = new SummaryWriter((heading) => repeatsTitle(heading, title)).write(summary.html);
  const writeSection = (name: string, paragraphs: readonly string[]) =>
    paragraphs.length === 0 ? [] : [writeParagraph("Heading1", writeRun(name)), ...paragraphs];
  const body = [
    writeParagraph("Title", writeRun(title)),
    writeParagraph(null, writeRun(`${when} · Recorded by ${user.email}`)),
    ...(tags.length > 0
      ? [writeParagraph(null, writeRun(`Tags: ${tags.map(({ name }) => name).join(", ")}`))]
      : []),
    ...writeSection("Summary", notes.paragraphs),
    ...writeSection("Tasks", tasks.map(writeTask)),
    ...writeSection("Transcript", turns.map(writeTurn)),
  ];
  const parts = {
    "[Content_Types].xml": CONTENT_TYPES,
    "_rels/.rels": RELATIONS.package,
    "word/_rels/document.xml.rels": RELATIONS.document,
    "word/styles.xml": STYLES,
    "word/numbering.xml": writeNumbering(notes.starts),
    "word/document.xml": `<w:document ${NAMESPACE}><w:body>${body.join("")}</w:body></w:document>`,
  };
  const bytes = Object.entries(parts).map(([name, xml]) => [name, strToU8(`${DECLARATION}${xml}`)] as const);
  return zipSync(Object.fromEntries(bytes));
}

const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

function writeTask({ content, completed, assignee }: MeetingDetail["tasks"][number]): string {
  const who = assignee ? ` (${assignee.name})` : "";
  return writeParagraph(null, writeRun(`${completed ? "☑" : "☐"} ${content}${who}`));
}

/** Writes who speaks, and from when if that is known, above what they say. */
function writeTurn({ speaker, text, start }: StoredTurn): string {
  const time = start === null ? "" : writeRun(`  ${formatClock(start)}`, '<w:color w:val="666666"/>');
  const lines = splitLines(text).map(writeText).join("<w:br/>");
  return writeParagraph(null, `${writeRun(speaker, "<w:b/>")}${time}<w:r><w:br/>${lines}</w:r>`);
}

/** Writes `1:02:05` for 3725 seconds. */
function formatClock(seconds: number): string {
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const pad = (value = 0) => String(value).padStart(2, "0");
  return hours ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

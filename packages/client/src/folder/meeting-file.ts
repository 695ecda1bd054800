import type { SyncedMeeting } from "../index.js";

/** What a file shows of a meeting: a change of the feed and the answer of `meetings.get` have it. */
export type MeetingContent = Pick<
  SyncedMeeting,
  "id" | "title" | "startTime" | "participants" | "tags" | "tasks" | "summary" | "transcript"
>;

/** The built-in template. */
export const TEMPLATE = `---
id: {{id}}
title: {{title}}
date: {{date}}
people: {{people}}
tags: {{tags}}
tasks: {{tasks}}
link: {{link}}
---

# {{title}}

{{#summary}}
{{summary}}

{{/summary}}
{{#tasks}}
## Tasks

{{tasks}}

{{/tasks}}
{{#transcript}}
## Transcript

{{transcript}}
{{/transcript}}
`;

/** A field's value in front matter, and its text in the rest of a file. */
interface Field {
  readonly value: string | readonly string[];
  readonly text: string;
}

/** The fields of a template. */
export const FIELDS = [
  "id",
  "title",
  "date",
  "people",
  "tags",
  "tasks",
  "link",
  "summary",
  "transcript",
] as const;
type FieldName = (typeof FIELDS)[number];

const PLACEHOLDER = /\{\{(\w+)\}\}/g;
/** A line that begins or ends a section, which is left out if its field is empty. */
const SECTION = /^\{\{([#/])(\w+)\}\}\s*$/;

/** Returns the first name in a template that is no field; null if there is none. */
export function findUnknownField(template: string): string | null {
  const names = [...template.matchAll(/\{\{[#/]?(\w+)\}\}/g)].map(([, name]) => name ?? "");
  return names.find((name) => !(FIELDS as readonly string[]).includes(name)) ?? null;
}

/**
 * Writes a meeting as Markdown. In front matter, between a first line `---` and the next one, values are quoted as JSON,
 * which is valid YAML whatever they contain.
 */
export function toMarkdown(
  template: string,
  meeting: MeetingContent,
  place: { readonly url: string; readonly timeZone: string },
): string {
  const fields = toFields(meeting, place);
  const lines: string[] = [];
  let isFrontMatter = false;
  let isLeftOut = false;
  for (const [at, line] of template.split(/\r?\n/).entries()) {
    const [, mark, name] = SECTION.exec(line) ?? [];
    if (mark) isLeftOut = mark === "#" && fields[name as FieldName].text === "";
    else if (!isLeftOut) {
      if (line === "---") isFrontMatter = at === 0;
      const write = isFrontMatter ? toYaml : ({ text }: Field) => text;
      lines.push(line.replace(PLACEHOLDER, (_, name: FieldName) => write(fields[name])));
    }
  }
  return `${lines.join("\n").trimEnd()}\n`;
}

function toFields(
  meeting: MeetingContent,
  { url, timeZone }: { readonly url: string; readonly timeZone: string },
): Record<FieldName, Field> {
  const {
    id,
    title,
    startTime,
    participants = [],
    tags = [],
    tasks = [],
    summary,
    transcript = "",
  } = meeting;
  const items = tasks.map(({ content, completed, assignee }) => {
    const who = assignee ? ` (${assignee.name})` : "";
    return toOneLine(`[${completed ? "x" : " "}] ${content}${who}`);
  });
  const one = (value: string): Field => ({ value, text: toOneLine(value) });
  const many = (value: readonly string[]): Field => ({ value, text: toOneLine(value.join(", ")) });
  const block = (value: string): Field => ({ value, text: value.trim() });
  return {
    id: one(id),
    title: one(title),
    date: one(toLocalTime(startTime, timeZone)),
    people: many(participants.map(({ name }) => name)),
    tags: many(tags.map(({ name }) => toTag(name)).filter((name) => name !== "")),
    tasks: { value: items, text: items.map((item) => `- ${item}`).join("\n") },
    link: one(`${url}/meetings/${encodeURIComponent(id)}`),
    summary: block(summary?.markdown ?? ""),
    transcript: block(transcript),
  };
}

const toOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

/** Converts a tag's name to what Obsidian and Logseq accept as a tag: `Q3 plan` to `Q3-plan`. */
const toTag = (name: string): string => name.replace(/[^\p{L}\p{M}\p{N}_/-]+/gu, "-").replace(/^-|-$/g, "");

/** Writes a value as JSON. YAML also wants characters escaped that JSON allows as they are. */
const toYaml = ({ value }: Field): string =>
  JSON.stringify(value).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

/** Returns an instant as `2026-03-14T10:00:00+01:00`, with the time zone's offset. */
function toLocalTime(instant: string, timeZone: string): string {
  const digits = {
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
  } as const;
  const format = new Intl.DateTimeFormat("en-US", {
    ...{ timeZone, hourCycle: "h23", year: "numeric", timeZoneName: "longOffset" },
    ...digits,
  });
  const parts = Object.fromEntries(
    format.formatToParts(new Date(instant)).map(({ type, value }) => [type, value]),
  );
  const { year = "", month, day, hour, minute, second, timeZoneName = "" } = parts;
  const offset = timeZoneName.replace("GMT", "") || "+00:00";
  return `${year.padStart(4, "0")}-${month}-${day}T${hour}:${minute}:${second}${offset}`;
}

/** Maximum length of the title in a file's name, in bytes: file systems allow 255 for the whole name, some only 143. */
const TITLE_BYTES = 110;

/**
 * Returns `2026-03-14 Quarterly review.md`: the day, and of the title what every file system and a link between notes
 * accept. Names that would be equal get a number from 2.
 */
export function toFileName({ title, startTime }: MeetingContent, timeZone: string, number: number): string {
  const readable = title.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}.,()&+'!_-]+/gu, " ");
  const { read } = new TextEncoder().encodeInto(readable.replace(/^[ .]+/, ""), new Uint8Array(TITLE_BYTES));
  const name =
    readable
      .replace(/^[ .]+/, "")
      .slice(0, read)
      .trim() || "Untitled";
  const day = toLocalTime(startTime, timeZone).split("T")[0];
  return `${day} ${name}${number > 1 ? ` (${number})` : ""}.md`;
}

/** Returns true if a text is a meeting's file, by the ID that the built-in template writes. */
export const isFileOf = (text: string, id: string): boolean =>
  text.startsWith("---\n") && text.split("\n", 20).includes(`id: ${JSON.stringify(id)}`);

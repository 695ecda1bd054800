import { chooseLayout } from "./choose-layout.js";
import { isListHeading, isServiceLine, isTranscriptHeading, readTitleField } from "./service-lines.js";

/** The lines before the first turn. */
export interface Preamble {
  /** Index of the first line that can be speech. */
  readonly from: number;
  /** Indexes of lines before the first turn that are not speech. */
  readonly known: ReadonlySet<number>;
  readonly title?: string;
  /** Markdown between the title and the heading `Transcript`; absent if there is none. */
  readonly notes?: string;
}

/**
 * Reads the lines before a transcript: its title, fields such as `Date:`, the list below `Attendees`, and notes if they
 * end with a heading `Transcript`. The first line is a title if it is a Markdown heading or directly followed by a
 * field or a date.
 */
export function readPreamble(lines: readonly string[]): Preamble {
  const first = chooseLayout(lines)?.first ?? lines.length;
  const heading = lines.findIndex(
    (line, at) => isTranscriptHeading(line) && (at < first || line.startsWith("#")),
  );
  const until = heading < 0 ? first : heading;
  const known = new Set<number>();
  let title = markKnown(lines, until, known);
  const opening = lines.findIndex((line) => line !== "");
  if (title === undefined && opening < until && isTitle(lines, opening, until, known)) {
    title = (lines[opening] ?? "").replace(/^#+ */, "");
    known.add(opening);
  }
  if (heading < 0) return { from: 0, known, ...(title === undefined ? {} : { title }) };
  for (let at = heading; at < lines.length && isServiceLine(lines[at + 1] ?? "x"); at++) known.add(at + 1);
  known.add(heading);
  const notes = lines.slice(0, heading);
  const onlyKnown = notes.every((line, at) => line === "" || known.has(at));
  const kept = notes.filter((_, at) => at !== opening || title === undefined).join("\n");
  return {
    from: heading,
    known,
    ...(title === undefined ? {} : { title }),
    ...(onlyKnown ? {} : { notes: kept.trim() }),
  };
}

/** Marks the lines before `until` that are not speech. @returns the value of a title field */
function markKnown(lines: readonly string[], until: number, known: Set<number>): string | undefined {
  let title: string | undefined;
  let inList = false;
  for (let at = 0; at < until; at++) {
    const line = lines[at] ?? "";
    if (line === "") inList = false;
    else if (inList || isServiceLine(line)) known.add(at);
    inList ||= isListHeading(line);
    title ??= readTitleField(line) ?? undefined;
  }
  return title;
}

const LONGEST_TITLE = 300;

/** Returns true if the first line is a title: a heading, or followed by a field, a date or a rule. */
function isTitle(
  lines: readonly string[],
  opening: number,
  until: number,
  known: ReadonlySet<number>,
): boolean {
  const line = lines[opening] ?? "";
  if (known.has(opening) || line.length > LONGEST_TITLE) return false;
  if (/^# *\S/.test(line)) return true;
  const next = lines.findIndex((other, at) => at > opening && other !== "");
  return next > 0 && next < until && known.has(next);
}

import { findDate, type StatedDate } from "../dates.js";
import { parseTitleAndDate } from "../file-name.js";
import { cleanName } from "../transcript.js";
import { readTimeLine } from "./layouts.js";
import { isListHeading, isServiceLine, isTranscriptHeading, readField } from "./service-lines.js";

/** The lines before the first turn. */
export interface Preamble {
  /** Index of the first line that can be speech. */
  readonly from: number;
  /** Indexes of lines before the first turn that are not speech. */
  readonly known: ReadonlySet<number>;
  readonly title?: string | undefined;
  readonly date?: StatedDate | undefined;
  /** Markdown between the title and the heading `Transcript`; absent if there is none. */
  readonly notes?: string | undefined;
}

/** Maximum number of lines of a preamble in which people are listed. */
const MOST_LINES = 300;

/** Lists the names in a text's lists of people (`Attendees`, `SPEAKERS`, `Participants: …`), and the lines with them. */
export function listPeople(lines: readonly string[]): {
  readonly people: string[];
  readonly listed: ReadonlySet<number>;
} {
  const people: string[] = [];
  const listed = new Set<number>();
  let inList = false;
  for (const [at, line] of lines.slice(0, MOST_LINES).entries()) {
    const field = readField(line);
    if (field?.people) {
      people.push(...splitPeople(field.value));
      inList = field.value === "";
    } else if (line === "" || field) inList = false;
    else if (inList) {
      people.push(...splitPeople(line));
      listed.add(at);
    }
  }
  return { people, listed };
}

/** Splits a list of people, without addresses and roles; a name with a role is listed with and without it. */
function splitPeople(text: string): string[] {
  return text.split(/[,;\u3001\uFF0C]| and | & /).flatMap((part) => {
    const name = cleanName(part.replace(/^[-*•] /, "").replace(/<[^<>]*>/g, ""));
    const bare = cleanName(name.replace(/\([^()]*\)/g, ""));
    return [...new Set([name, bare])].filter((one) => /\p{L}/u.test(one) && one.length <= 100);
  });
}

/**
 * Reads the lines before a transcript: its title, fields such as `Date:`, the list below `Attendees`, and notes if they
 * end with a heading `Transcript`. The first line is a title if it is a Markdown heading, is followed by a field or a date,
 * or is the only line before the first head.
 * @param first index of the first turn's head
 * @param timed true if the heads have times
 */
export function readPreamble(lines: readonly string[], first: number, timed: boolean): Preamble {
  const heading = lines.findIndex(
    (line, at) => isTranscriptHeading(line) && (at < first || line.startsWith("#") || line.startsWith("**")),
  );
  const until = heading < 0 ? first : heading;
  const { known, title: field, date } = markKnown(lines, until);
  const opening = lines.findIndex((line) => line !== "");
  let title = field;
  if (
    title === undefined &&
    opening >= 0 &&
    opening < until &&
    isTitle(lines, opening, until, known, timed)
  ) {
    title = (lines[opening] ?? "").replace(/^#+ */, "");
    known.add(opening);
  }
  const named = title === undefined ? {} : parseTitleAndDate(title.replace(/^\*\*(.*)\*\*$/, "$1"));
  const result = { title: named.title, date: mergeDates(date, named.date) };
  if (heading < 0) return { from: 0, known, ...result };
  for (let at = heading; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const titled = /^#{1,6} +(\S.*)$/su.exec(line)?.[1];
    if (at > heading && !isServiceLine(line) && (titled === undefined || isTimed(titled))) break;
    known.add(at);
    // `## Site meeting - Transcript`, below the heading in documents of Google Meet.
    const named =
      titled === undefined || isTranscriptHeading(line) ? undefined : parseTitleAndDate(titled).title;
    if (named && (result.title === undefined || GENERIC.test(result.title))) result.title = named;
  }
  const notes = lines.slice(0, heading);
  const onlyKnown = notes.every((line, at) => line === "" || known.has(at));
  // Fields below the title are read; those further down can be part of the notes.
  const body = notes.findIndex((line, at) => line !== "" && at !== opening && !known.has(at));
  const kept = notes.filter(
    (_, at) => (at >= body || !known.has(at)) && (at !== opening || title === undefined),
  );
  return { from: heading, known, ...result, ...(onlyKnown ? {} : { notes: kept.join("\n").trim() }) };
}

/** Returns true for a heading that is a time, or a name next to one. */
const isTimed = (heading: string): boolean =>
  /^\D{0,2}\d{1,4}:\d{2}|\d:\d{2}\W{0,2}$/.test(heading) && !findDate(heading);

/** Prefers the date that has a time of day, and of two with the same minute the one with seconds. */
function mergeDates(one: StatedDate | undefined, other: StatedDate | undefined): StatedDate | undefined {
  if (!one || !other) return one ?? other;
  if (one.seconds === null) return other.seconds === null ? one : other;
  const precise =
    other.seconds !== null && other.seconds - one.seconds > 0 && other.seconds - one.seconds < 60;
  return precise && one.day === other.day ? { ...other, zone: one.zone ?? other.zone } : one;
}

/** Marks the lines before `until` that are not speech, and reads title and date from them. */
function markKnown(
  lines: readonly string[],
  until: number,
): { known: Set<number>; title: string | undefined; date: StatedDate | undefined } {
  const known = new Set<number>();
  let title: string | undefined;
  let date: StatedDate | undefined;
  let clock = "";
  let inList = false;
  for (let at = 0; at < until; at++) {
    const line = lines[at] ?? "";
    const service = line !== "" && isServiceLine(line);
    if (line === "") inList = false;
    else if (inList || service) known.add(at);
    inList ||= isListHeading(line);
    const field = service ? readField(line) : null;
    if (/^(?:meeting )?(?:title|titel)$/.test(field?.name ?? "")) title ??= field?.value || undefined;
    if (/^(?:time|start|start time|started|beginn)$/.test(field?.name ?? "")) clock ||= field?.value ?? "";
    if (service && (!field || /date|start|created|recorded on|datum|beginn|time/.test(field.name)))
      date = mergeDates(date, findDate(line) ?? undefined);
  }
  if (date && date.seconds === null && clock !== "") {
    const day = `${date.year}-${String(date.month).padStart(2, "0")}-${String(date.day).padStart(2, "0")}`;
    const padded = clock.replace(/^(\d):/, "0$1:");
    date = findDate(`${day} ${padded}`) ?? date;
  }
  return { known, title, date };
}

/** Titles of a document that say nothing of the meeting. */
const GENERIC = /^\P{L}*(?:notes|meeting notes|transcript|summary|notizen)\P{L}*$/iu;

const LONGEST_TITLE = 300;

/** Returns true if the first line is a title. */
function isTitle(
  lines: readonly string[],
  opening: number,
  until: number,
  known: ReadonlySet<number>,
  timed: boolean,
): boolean {
  const line = lines[opening] ?? "";
  if (known.has(opening) || line.length > LONGEST_TITLE || readTimeLine(line)) return false;
  if (/^#{1,3} *[^#\s]/.test(line)) return true;
  const next = lines.findIndex((other, at) => at > opening && other !== "");
  if (next > 0 && next < until && known.has(next)) return true;
  // `Site meeting (2026-11-05 09:30 CET)`
  if (lines[opening + 1] === "" && !/[.?!:,;]$/.test(line) && parseTitleAndDate(line).date) return true;
  if (/20\d{6}[_-]\d{6}|\b(?:recording|transcript)$/i.test(line)) return true;
  // The only line before heads with times, which services always begin with.
  return timed && next === until && !/[.?!:,;]$/.test(line) && line.split(" ").length <= 15;
}

import { chooseSpeakers, isLabel, isName, splitIntoWords } from "../names.js";
import { MAYBE_BRACKETED_TIME, parseTime, TIME } from "../times.js";

/** The first lines of a turn. */
export interface Header {
  readonly speaker: string;
  /** Speech on the same line. */
  readonly text: string;
  readonly start?: number;
  readonly end?: number;
  /** Number of lines of the header. */
  readonly lines: number;
}

/** A way in which a text marks its speakers. */
export interface Layout {
  readonly name: string;
  /** True if times are times of day instead of offsets from the start. */
  readonly clock?: boolean;
  /** True if a line with only a time belongs to the following turn. */
  readonly timeLines?: boolean;
  /** True if characters that would format a turn of several lines are escaped, as in Markdown. */
  readonly escaped?: boolean;
  /** Reads the header that begins at a line; null if there is none. */
  readHeader(lines: readonly string[], at: number): Header | null;
}

/** Creates a pattern for a whole line. `.` matches any character, so a final `.*` never backtracks. */
const toPattern = (source: string) => new RegExp(`^${source}$`, "su");

/** Maximum length of a header line without speech, in UTF-16 units. Such lines are matched by many patterns. */
const LONGEST_HEADER = 300;

/** Matches a line that consists of only a header. */
const matchHeader = (pattern: RegExp, line = ""): readonly (string | undefined)[] =>
  (line.length <= LONGEST_HEADER && pattern.exec(line)) || [];
const bracketed = String.raw`(?:\[${TIME}\]|\(${TIME}\))`;

const NAME_THEN_TIME = toPattern(
  String.raw`(?:(\S.{0,99}?)(?: {2,}|\t+ *)(${TIME})|(\S.{0,99}?) ?(?:[-–—|•] ?)?(${MAYBE_BRACKETED_TIME}))`,
);

/** `Sarah Chen  1:02:10` (Otter, Teams), `Sarah Chen - 00:03` (Fireflies) and `Sarah Chen [0:03]`. */
const nameThenTime: Layout = {
  name: "name and time",
  readHeader(lines, at) {
    const [, spaced, spacedTime, close, closeTime] = matchHeader(NAME_THEN_TIME, lines[at]);
    if (spaced && spacedTime && isLabel(spaced)) {
      return { speaker: spaced, text: "", start: parseTime(spacedTime), lines: 1 };
    }
    if (!close || !closeTime || !isName(close)) return null;
    return { speaker: close, text: "", start: parseTime(closeTime), lines: 1 };
  },
};

const TIME_THEN_NAME = toPattern(
  String.raw`(?:@?(${MAYBE_BRACKETED_TIME}) ?[-–—] ?(\S.{0,99})|(${bracketed}) ?(\S.{0,99}))`,
);

/** `0:12 - Sarah Chen (Acme)` (Fathom, Read AI) and `[0:12] Sarah Chen`. */
const timeThenName: Layout = {
  name: "time and name",
  readHeader(lines, at) {
    const [, time, speaker, alone, name] = matchHeader(TIME_THEN_NAME, lines[at]);
    if (time && speaker && isLabel(speaker)) return { speaker, text: "", start: parseTime(time), lines: 1 };
    if (!alone || !name || !isName(name)) return null;
    return { speaker: name, text: "", start: parseTime(alone), lines: 1 };
  },
};

const NAME_THEN_CLOCK = toPattern(String.raw`\[([^[\]]{1,100})\] ?(${TIME})`);

/** `[Sarah Chen] 09:30:12` (captions that Zoom saves). */
const nameThenClock: Layout = {
  name: "name and time of day",
  clock: true,
  readHeader(lines, at) {
    const [, speaker, time] = matchHeader(NAME_THEN_CLOCK, lines[at]);
    return speaker && time ? { speaker, text: "", start: parseTime(time), lines: 1 } : null;
  },
};

export const ONLY_TIME = toPattern(`@?(${MAYBE_BRACKETED_TIME})`);
const SPOKEN_TIME = /^(?:\d+ hours? ?)?(?:\d+ minutes? ?)?(?:\d+ seconds?)?$/;

/** `Sarah Chen` with `0:03` in the next line (copied from Teams or Zoom). */
const nameAboveTime: Layout = {
  name: "name above time",
  readHeader(lines, at) {
    const speaker = lines[at] ?? "";
    const spoken = SPOKEN_TIME.test(lines[at + 1] ?? "") && lines[at + 1] !== "" ? 1 : 0;
    const time = ONLY_TIME.exec(lines[at + 1 + spoken] ?? "")?.[1];
    if (!time || !isName(speaker)) return null;
    return { speaker, text: "", start: parseTime(time), lines: 2 + spoken };
  },
};

const RANGE = toPattern(`(${TIME}) ?--> ?(${TIME})`);

/** `0:0:0.0 --> 0:0:3.25` with the name in the next line (documents saved by Teams). */
const rangeAboveName: Layout = {
  name: "times above name",
  readHeader(lines, at) {
    const [, from, to] = matchHeader(RANGE, lines[at]);
    const speaker = lines[at + 1] ?? "";
    if (!from || !to || !isLabel(speaker) || (lines[at + 2] ?? "") === "") return null;
    return { speaker, text: "", start: parseTime(from), end: parseTime(to), lines: 2 };
  },
};

const BOLD = toPattern(
  String.raw`(?:[-*•>] )?(?:(${MAYBE_BRACKETED_TIME}) ?(?:[-–] ?)?)?\*\*(?:(${bracketed}) ?)?([^*:]{1,100}?) ?(${bracketed})?(:?)\*\* ?(${bracketed})?(:?)(?: (.*))?`,
);

/** `**Sarah Chen:** text` and `**Sarah Chen** (0:03): text` (Markdown, including Minutes' own). */
const boldLabel: Layout = {
  name: "bold name",
  timeLines: true,
  escaped: true,
  readHeader(lines, at) {
    const match = BOLD.exec(lines[at] ?? "");
    if (!match) return null;
    const [, before, inside, speaker = "", after, colon, outside, lastColon, text = ""] = match;
    const time = before ?? inside ?? after ?? outside;
    if (!isLabel(speaker) || !(colon || lastColon || (time && text === ""))) return null;
    return { speaker, text, lines: 1, ...(time ? { start: parseTime(time) } : {}) };
  },
};

const LABEL = toPattern(
  String.raw`(?:[-–•>] )?(?:(${MAYBE_BRACKETED_TIME})\s+(?:[-–] )?)?(?:\*\*)?\[?([^\s:*[\]][^:*[\]]{0,99}?)\]? ?(${bracketed})?(?:\*\*)?:(?:\*\*)?(?:\s+(\S.*)?)?`,
);

/** Splits a `label: text` line; null for other lines. */
export function splitLabel(line: string): Header | null {
  const match = LABEL.exec(line);
  if (!match) return null;
  const [, before, speaker = "", inside, text = ""] = match;
  const time = before ?? inside;
  return { speaker, text, lines: 1, ...(time ? { start: parseTime(time) } : {}) };
}

/** Creates the layout `Sarah Chen: text`, with or without times. The whole file determines which labels are names. */
export function createLabelLayout(lines: readonly string[]): Layout {
  const speakers = chooseSpeakers(lines.flatMap((line) => splitLabel(line)?.speaker ?? []));
  return {
    name: "name and colon",
    timeLines: true,
    readHeader(all, at) {
      const header = splitLabel(all[at] ?? "");
      return header && speakers.has(header.speaker) ? header : null;
    },
  };
}

/**
 * Creates the layout with `Sarah Chen` alone on a line after an empty one (Otter without times). Either every paragraph
 * begins with a name, or names recur; in the latter case a name of several words can occur once.
 */
export function createNameAloneLayout(lines: readonly string[]): Layout {
  const begins = (at: number) => (lines[at] ?? "") !== "" && (lines[at - 1] ?? "") === "";
  const isHeader = (at: number) => begins(at) && isName(lines[at] ?? "") && (lines[at + 1] ?? "") !== "";
  const paragraphs = lines.flatMap((_, at) => (begins(at) ? [at] : []));
  const regular = paragraphs.length > 1 && paragraphs.every(isHeader);
  const counts = new Map<string, number>();
  for (const at of paragraphs.filter(isHeader)) {
    const name = lines[at] ?? "";
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const recurring = [...counts.values()].some((count) => count > 1);
  return {
    name: "name alone on its line",
    readHeader(_, at) {
      const speaker = lines[at] ?? "";
      const known =
        regular || (recurring && ((counts.get(speaker) ?? 0) > 1 || splitIntoWords(speaker).length > 1));
      return isHeader(at) && known ? { speaker, text: "", lines: 1 } : null;
    },
  };
}

/** Layouts with distinctive headers, in the order they are tried. */
export const DISTINCTIVE_LAYOUTS = [
  rangeAboveName,
  nameThenClock,
  nameThenTime,
  timeThenName,
  nameAboveTime,
  boldLabel,
];

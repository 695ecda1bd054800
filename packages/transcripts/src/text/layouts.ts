import { splitLabel } from "../labels.js";
import { isLabel } from "../names.js";
import { MARK, parseMark, TIME, type TimeMark } from "../times.js";

/** The first lines of a possible turn. */
export interface Head {
  readonly label: string;
  /** Speech on the same line. */
  readonly rest: string;
  readonly start?: TimeMark | undefined;
  readonly end?: TimeMark | undefined;
  /** Number of lines of the head. */
  readonly lines: number;
  /** True if only a speaker's name stands in such a place. */
  readonly placed: boolean;
}

/** A way in which a text marks its speakers. */
export interface Layout {
  readonly name: string;
  /** True if every head has a time. */
  readonly timed?: boolean;
  /** True if a line with only a time belongs to the following turn. */
  readonly timeLines?: boolean;
  /** True if characters that would format a turn of several lines are escaped, as in Markdown. */
  readonly escaped?: boolean;
  /** Reads the head that begins at a line, whatever its label; null if the line has another form. */
  readHead(lines: readonly string[], at: number): Head | null;
}

/** Creates a pattern for a whole line. `.` matches any character, so a final `.*` never backtracks. */
const toPattern = (source: string) => new RegExp(`^${source}$`, "su");

/** Maximum length of a head without speech, in UTF-16 units. Such lines are matched by many patterns. */
const LONGEST_HEAD = 300;

/** Matches a line that consists of only a head, perhaps as a Markdown heading. */
const matchHead = (pattern: RegExp, line = ""): Record<string, string | undefined> =>
  (line.length <= LONGEST_HEAD &&
    /\d:\d/.test(line) &&
    pattern.exec(line.startsWith("#") ? line.replace(/^#{1,6} +/, "") : line)?.groups) ||
  {};

const DAY = String.raw`(?:\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? )?`;
const between = ` ?(?:-->|->|→|[-–—]|to) ?`;
const span = (name: string) => `${DAY}(?<${name}Start>${MARK})(?:${between}(?<${name}End>${MARK}))?`;
const bracketed = (name: string) => String.raw`(?:\[${span(`${name}Square`)}\]|\(${span(`${name}Round`)}\))`;

/** The groups of a line without times, which most are. */
const NO_GROUPS: Record<string, string | undefined> = {};

/** Reads the times of the first span with one of these names. */
function readSpan(
  groups: Record<string, string | undefined>,
  ...names: string[]
): Pick<Head, "start" | "end"> {
  if (groups === NO_GROUPS) return {};
  for (const name of names) {
    const [start, end] = [groups[`${name}Start`], groups[`${name}End`]];
    if (start !== undefined) return { start: parseMark(start), ...(end ? { end: parseMark(end) } : {}) };
  }
  return {};
}

const UNIT = `(?:hours?|minutes?|seconds?|Stunden?|Minuten?|Sekunden?|heures?|secondes?|horas?|minutos?|segundos?)`;
/** `1 minute 2 seconds`, which Teams copies for screen readers. */
const SPOKEN = String.raw`\d{1,3} ${UNIT}(?:,? (?:and )?\d{1,2} ${UNIT}){0,2}`;
const SPOKEN_LINE = toPattern(SPOKEN);

/** Converts `1 hour 2 minutes 3 seconds`. */
function parseSpoken(text: string): TimeMark {
  let seconds = 0;
  for (const [, count, unit = ""] of text.matchAll(/(\d{1,3}) (\p{L})/gu))
    seconds += Number(count) * (/s/i.test(unit) && !/^St/i.test(unit) ? 1 : /m/i.test(unit) ? 60 : 3600);
  // "Stunden" and "secondes" begin with the same letter.
  if (/Stunde/.test(text)) seconds += Number(/(\d{1,3}) Stunde/.exec(text)?.[1] ?? 0) * 3599;
  return { seconds, halfDay: false, full: false };
}

const NAME_THEN_TIME = toPattern(
  String.raw`(?:(?<apart>\S.{0,99}?)(?: {2,20}| {0,5}\t{1,5} {0,5}| ?[-–—|•·] ?)${span("apart")}|(?<close>\S.{0,99}?),? ?(?:${bracketed("close")}|${span("closePlain")})):?`,
);
const NAME_THEN_SPOKEN = toPattern(String.raw`(?<name>\S.{0,99}?),? {1,5}(?<spoken>${SPOKEN})`);

/** `Sarah Chen  1:02:10` (Otter, Teams), `Sarah Chen - 00:03` (Fireflies), `Sarah Chen [0:03]`, `Sarah Chen 9:58 AM`. */
const nameThenTime: Layout = {
  name: "name and time",
  timed: true,
  readHead(lines, at) {
    const line = lines[at] ?? "";
    const groups = matchHead(NAME_THEN_TIME, line);
    const { apart, close } = groups;
    const { name, spoken } =
      apart === undefined &&
      close === undefined &&
      line.length <= LONGEST_HEAD &&
      /\d \p{L}/u.test(line) &&
      !SPOKEN_LINE.test(line)
        ? (NAME_THEN_SPOKEN.exec(line)?.groups ?? {})
        : {};
    if (name && spoken && isLabel(name))
      return {
        label: name,
        rest: "",
        start: parseSpoken(spoken),
        lines: 1 + countTimes(lines, at + 1),
        placed: true,
      };
    const label = apart ?? close;
    if (label === undefined || !isLabel(label) || (close !== undefined && splitLabel(close))) return null;
    const times = readSpan(groups, "apart", "closeSquare", "closeRound", "closePlain");
    return { label, rest: "", ...times, lines: 1, placed: apart !== undefined };
  },
};

/** Counts the lines after a name that repeat its time. */
const countTimes = (lines: readonly string[], at: number): number =>
  ONLY_TIME.test(lines[at] ?? "") ? 1 : 0;

const TIME_THEN_NAME = toPattern(
  String.raw`@?(?:(?:${bracketed("apart")}|${span("apartPlain")})(?: ?[-–—|•·] ?| {2,20}|\t{1,5})(?<apart>\S.{0,99})|${bracketed("close")} ?(?<close>\S.{0,99}?)|${span("closePlain")} ?(?<plain>[^\s\d:].{0,99}?)):?`,
);

/** `0:12 - Sarah Chen (Acme)` (Fathom, Read AI) and `[0:12] Sarah Chen`. */
const timeThenName: Layout = {
  name: "time and name",
  timed: true,
  readHead(lines, at) {
    const groups = matchHead(TIME_THEN_NAME, lines[at]);
    const { apart, close, plain } = groups;
    const label = apart ?? close ?? plain;
    if (label === undefined || !isLabel(label) || !isAboveSpeech(lines, at)) return null;
    // `0:12 - Room 4: Lisbon` above speech, but not `0:12 - Will: hello`.
    if (splitLabel(label) && (apart === undefined || /^[@[(]?\d{1,4}:\d/.test(lines[at + 1] ?? "")))
      return null;
    const times = readSpan(
      groups,
      "apartSquare",
      "apartRound",
      "apartPlain",
      "closeSquare",
      "closeRound",
      "closePlain",
    );
    return { label, rest: "", ...times, lines: 1, placed: apart !== undefined };
  },
};

const isEmpty = (line: string | undefined): boolean => line === undefined || line === "";

/** Returns true if the next line, perhaps after an empty one, has speech and not another time. */
const isAboveSpeech = (lines: readonly string[], at: number): boolean =>
  !isEmpty(lines[at + 1]) || (!isEmpty(lines[at + 2]) && !/^\W{0,3}\d{1,4}:\d/.test(lines[at + 2] ?? ""));

const BRACKETED_NAME = toPattern(String.raw`\[(?<name>[^[\]]{1,100})\] ?${span("after")}`);

/** `[Sarah Chen] 09:30:12` (captions that Zoom saves). */
const bracketedName: Layout = {
  name: "name in brackets and time",
  timed: true,
  readHead(lines, at) {
    const { name, ...groups } = matchHead(BRACKETED_NAME, lines[at]);
    return name ? { label: name, rest: "", ...readSpan(groups, "after"), lines: 1, placed: true } : null;
  },
};

const PLAIN_TIME = toPattern(TIME);
const ONLY_TIME = toPattern(String.raw`(?:#{1,6} )?\**@?(?:${bracketed("only")}|${span("onlyPlain")})\**`);

/** Reads a line that is only a time or a span of time; null for another line. */
export function readTimeLine(line: string): Pick<Head, "start" | "end"> | null {
  if (line.length > 80 || !/^[\d[(#*@]/.test(line)) return null;
  if (PLAIN_TIME.test(line)) return { start: parseMark(line) };
  const groups = matchHead(ONLY_TIME, line);
  const times = readSpan(groups, "onlySquare", "onlyRound", "onlyPlain");
  if (times.start) return times;
  return SPOKEN_LINE.test(line) ? { start: parseSpoken(line) } : null;
}

/** `Sarah Chen` with `0:03` in the next line (copied from Teams or Zoom), perhaps also as `3 seconds`. */
const nameAboveTime: Layout = {
  name: "name above time",
  timed: true,
  readHead(lines, at) {
    const label = lines[at] ?? "";
    const first = readTimeLine(lines[at + 1] ?? "");
    if (!first || !isLabel(label) || readTimeLine(label)) return null;
    const second = readTimeLine(lines[at + 2] ?? "");
    let count = second && second.start?.seconds === first.start?.seconds ? 3 : 2;
    // Screen readers' text of the same head: `Sarah Chen 3 seconds`.
    const repeated = lines[at + count] ?? "";
    if (repeated.startsWith(label) && SPOKEN_LINE.test(repeated.slice(label.length).trim())) count++;
    return { label, rest: "", ...(second && count > 2 ? second : first), lines: count, placed: true };
  },
};

/** `0:0:0.0 --> 0:0:3.25` or `0:03` with the name in the next line (documents saved by Teams). */
const timeAboveName: Layout = {
  name: "time above name",
  timed: true,
  readHead(lines, at) {
    const times = readTimeLine(lines[at] ?? "");
    const label = lines[at + 1] ?? "";
    if (
      !times ||
      !isLabel(label) ||
      isEmpty(lines[at + 2]) ||
      readTimeLine(label) ||
      readTimeLine(lines[at + 2] ?? "")
    )
      return null;
    return { label, rest: "", ...times, lines: 2, placed: true };
  },
};

const BOLD = toPattern(
  String.raw`(?:[-*•>] )?(?:(?:${bracketed("before")}|${span("beforePlain")}) ?(?:[-–] ?)?)?\*\*(?:${bracketed("inside")} ?|${span("insidePlain")} (?:[-–—] )?)?(?<name>[^*]{1,100}?)(?: ?${bracketed("after")}| (?:[-–—] )?${span("afterPlain")})?(?<colon>:?)\*\* ?(?:${bracketed("outside")}|${span("outsidePlain")})?(?<lastColon>:?)(?:\s(?<text>.*))?`,
);

/** `**Sarah Chen:** text`, `**Sarah Chen** (0:03): text` and `**Sarah Chen**` above text (Markdown, including Minutes' own). */
const boldLabel: Layout = {
  name: "bold name",
  timeLines: true,
  escaped: true,
  readHead(lines, at) {
    const line = lines[at] ?? "";
    const groups = line.includes("**") ? BOLD.exec(line)?.groups : undefined;
    if (!groups) return null;
    const { name = "", colon, lastColon } = groups;
    const text = (groups.text ?? "").trim();
    const times = readSpan(
      /\d:\d/.test(line) ? groups : NO_GROUPS,
      "beforeSquare",
      "beforeRound",
      "beforePlain",
      "insideSquare",
      "insideRound",
      "insidePlain",
      "afterSquare",
      "afterRound",
      "afterPlain",
      "outsideSquare",
      "outsideRound",
      "outsidePlain",
    );
    const label = unescapeName(name.replace(/:$/, ""));
    const marked = colon !== "" || lastColon !== "";
    if (!isLabel(label.replaceAll(":", "")) || (text !== "" && !marked)) return null;
    // Without a colon or a time it can only be at the beginning of a paragraph.
    if (!marked && !times.start && !isEmpty(lines[at - 1]) && !readTimeLine(lines[at - 1] ?? "")) return null;
    return { label, rest: text, ...times, lines: 1, placed: true };
  },
};

/** Removes the escapes that Minutes' Markdown has in names. @see docs/open-questions.md#q26 */
const unescapeName = (name: string): string => name.replace(/\\([\\*_`])/g, "$1");

const LABEL_PREFIX = new RegExp(
  String.raw`^(?:[-–•>] )?(?:(?:${bracketed("before")}|${span("beforePlain")})(?:\s+(?:[-–—] )?|(?=[[\p{L}])))?`,
  "u",
);
const LABEL_TIME = new RegExp(
  `^(?<name>.{1,100}?)(?:,? ?${bracketed("after")}|,? (?:[-–—] )?${span("afterPlain")})$`,
  "su",
);
const CHAT = /^From (?<name>.{1,100}?)(?: to [^:]{1,100})?$/i;

/** Reads `label: text`, with or without a time before or after the label; null for other lines. */
function readLabelLine(line: string): Head | null {
  // The colon of a label is within the first characters; most lines have none.
  if (!/[:\uFF1A]|^[[(]s/i.test(line.slice(0, 200))) return null;
  const prefix = /^[-–•>[(\d]/.test(line) ? LABEL_PREFIX.exec(line) : null;
  const bare = line.slice(prefix?.[0].length ?? 0).replace(/^\*\*/, "");
  const split = splitLabel(bare);
  if (!split) return null;
  const inside = LABEL_TIME.exec(split.label.replace(/\*\*/, ""))?.groups;
  const before = readSpan(prefix?.groups ?? NO_GROUPS, "beforeSquare", "beforeRound", "beforePlain");
  const times = before.start
    ? before
    : readSpan(inside ?? NO_GROUPS, "afterSquare", "afterRound", "afterPlain");
  const label = (inside?.name ?? split.label).replace(/\*\*$/, "").trim();
  const chat = times.start ? CHAT.exec(label)?.groups?.name : undefined;
  return { label: chat ?? label, rest: split.rest.replace(/^\*\* ?/, ""), ...times, lines: 1, placed: false };
}

/** `Sarah Chen: text`, with or without times. */
const inlineLabel: Layout = {
  name: "name and colon",
  timeLines: true,
  readHead: (lines, at) => readLabelLine(lines[at] ?? ""),
};

/** `Sarah Chen` alone on a line after an empty one (Otter without times). */
const nameAlone: Layout = {
  name: "name alone on its line",
  readHead(lines, at) {
    const label = lines[at] ?? "";
    const begins = label !== "" && isEmpty(lines[at - 1]) && !isEmpty(lines[at + 1]);
    return begins && isLabel(label) ? { label, rest: "", lines: 1, placed: false } : null;
  },
};

/** Layouts with distinctive heads, in the order they are tried. */
export const DISTINCTIVE_LAYOUTS: readonly Layout[] = [
  timeAboveName,
  bracketedName,
  nameThenTime,
  timeThenName,
  nameAboveTime,
  boldLabel,
];
export const INLINE_LABEL = inlineLabel;
export const NAME_ALONE = nameAlone;

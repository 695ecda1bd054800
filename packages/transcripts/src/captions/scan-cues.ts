import { parseTime } from "../times.js";

/** A cue of a caption file. */
export interface Cue {
  /** Line number of its times, from 1. */
  readonly line: number;
  readonly id: string | null;
  /** Seconds; null if the time is not valid. */
  readonly start: number | null;
  readonly end: number | null;
  /** Without empty lines at its ends. */
  readonly lines: readonly string[];
}

/** Text of a caption file before its first cue that is neither a header nor a comment. */
interface StrayText {
  /** Line number, from 1. */
  readonly line: number;
  readonly text: string;
}

export interface ScannedCues {
  readonly cues: readonly Cue[];
  readonly stray: readonly StrayText[];
  /** Lines that were taken as the number of a cue without times, from 1. */
  readonly numbers: readonly number[];
}

interface Times {
  readonly start: number | null;
  readonly end: number | null;
}

const STAMP = String.raw`-?(?:\d{1,6}:){0,3}\d{1,4}(?:[.,;]\d{1,9})?`;
const ARROW = String.raw`(?:-{1,2}|[=\u2013\u2014])>|\u2192`;
const BLANKS = String.raw`[ \t]{0,20}`;
/** With the number of the cue on the same line, as some converters write it. */
const TIMES = new RegExp(
  String.raw`^(?:\d{1,9}[ \t]{1,20})?(${STAMP})${BLANKS}(?:${ARROW})${BLANKS}(${STAMP})?(?:\s.*)?$`,
);
/** `0:00:01.000,0:00:03.000` (YouTube's SBV). */
const COMMA_TIMES = /^(\d{1,3}:\d{2}:\d{2}\.\d{3}),(\d{1,3}:\d{2}:\d{2}\.\d{3})$/;

/** Reads the times of a cue; null for another line. */
function readTimes(line: string): Times | null {
  // Most lines are neither.
  const head = line.slice(0, 80);
  if (!/[>\u2192,]/.test(head) || !/\d/.test(head)) return null;
  const [, start, end = ""] = TIMES.exec(line.trim()) ?? COMMA_TIMES.exec(line.trim()) ?? [];
  // `5 -> 6` is speech.
  if (start === undefined || !/[:.,]/.test(start)) return null;
  return { start: toSeconds(start), end: toSeconds(end) };
}

/** Converts a time with or without hours; null for one that does not exist. */
function toSeconds(text: string): number | null {
  const written = text.replace(";", ".");
  if (/^\d+[.,]\d+$/.test(written)) return Number(written.replace(",", "."));
  const [, hours, rest] = /^(\d{1,6}):(\d{1,2}:\d{1,2}(?:[.,]\d{1,9})?)$/.exec(written) ?? [];
  const seconds = parseTime(rest ?? written);
  if (hours === undefined || rest === undefined || seconds === null) return seconds;
  return Number(rest.split(":")[0]) < 60 ? Math.round((Number(hours) * 3600 + seconds) * 1000) / 1000 : null;
}

const isEmpty = (line: string | undefined): boolean => !line || line.trim() === "";
const isNumber = (line: string | undefined): line is string =>
  line !== undefined && /^\s*\d{1,9}\s*$/.test(line);

/**
 * Finds the cues of a caption file by their times: all text between two times belongs to the first, except an identifier
 * before the second, and comments and styles of WebVTT. So no empty line, missing or superfluous, loses speech.
 * @param from index of the first line after the header
 */
export function scanCues(lines: readonly string[], from: number, webVtt: boolean): ScannedCues {
  const found: { at: number; times: Times }[] = [];
  for (let at = from; at < lines.length; at++) {
    const times = readTimes(lines[at] ?? "") ?? readBrokenTimes(lines, at, found.at(-1)?.at ?? -1);
    if (times) found.push({ at, times });
  }
  const usual = describeIdentifiers(
    lines,
    found.map(({ at }) => at),
    from,
  );
  const cues: Cue[] = [];
  const numbers: number[] = [];
  let stray: StrayText[] = [];
  let expected = 1;
  let id: string | null = null;
  for (let nth = -1; nth < found.length; nth++) {
    const current = found[nth];
    const next = found[nth + 1];
    if (isNumber(id ?? undefined)) expected = Number(id) + 1;
    const begin = current ? current.at + 1 : from;
    const until = next?.at ?? lines.length;
    const identifier = next
      ? findIdentifier(lines, begin, until, { ...usual, expected, webVtt, first: !current })
      : null;
    const nextId = identifier === null ? null : (lines[identifier] ?? "").trim();
    const end = identifier ?? until;
    const single = current ? sliceSingleLine(lines, begin, end) : null;
    if (current && single !== null) {
      cues.push({ line: current.at + 1, id, ...current.times, lines: [single] });
      id = nextId;
      continue;
    }
    const blocks = splitBlocks(lines, begin, end);
    const kept = blocks.filter(({ at, text }, index) => {
      if (webVtt && (index > 0 || !current || isEmpty(lines[at - 1])) && isComment(text)) return false;
      const [only] = text;
      // The number of a cue that has neither times nor text, such as the last line of a file that was cut.
      const orphan =
        usual.numbered &&
        text.length === 1 &&
        isNumber(only) &&
        isEmpty(lines[at - 1]) &&
        Number(only) === expected;
      if (!orphan || (next && Number(nextId) !== expected + 1)) return true;
      numbers.push(at + 1);
      return false;
    });
    if (current) {
      const text = kept.flatMap((block) => block.text);
      cues.push({ line: current.at + 1, id, ...current.times, lines: text });
    } else
      stray = kept.flatMap(({ at, text }) =>
        text.map((line, index) => ({ line: at + index + 1, text: line.trim() })),
      );
    id = nextId;
  }
  return { cues, stray, numbers };
}

/** Reads times that are not valid, `soon --> later`, in a place where only times can be: before text, at the beginning of a block. */
function readBrokenTimes(lines: readonly string[], at: number, last: number): Times | null {
  const line = lines[at] ?? "";
  if (!/\s-->\s/.test(line) || line.length > 200 || isEmpty(lines[at + 1]) || at === last + 1) return null;
  const begins = isEmpty(lines[at - 1]) || (isNumber(lines[at - 1]) && isEmpty(lines[at - 2]));
  return begins ? { start: null, end: null } : null;
}

interface Usual {
  /** True if most cues have a number before their times. */
  readonly numbered: boolean;
  /** True if most cues have another identifier before their times. */
  readonly named: boolean;
}

/** Tells how the cues of a file are identified. */
function describeIdentifiers(lines: readonly string[], times: readonly number[], from: number): Usual {
  let [numbered, named] = [0, 0];
  for (const at of times) {
    let before = at - 1;
    while (before > from && isEmpty(lines[before])) before--;
    if (before < from) continue;
    if (isNumber(lines[before])) numbered++;
    else if (before === at - 1 && !isEmpty(lines[before]) && isEmpty(lines[before - 1])) named++;
  }
  return { numbered: numbered * 2 > times.length, named: named * 2 > times.length };
}

/** Finds the line of the identifier before the times in line `until`. */
function findIdentifier(
  lines: readonly string[],
  begin: number,
  until: number,
  { numbered, named, expected, webVtt, first }: Usual & { expected: number; webVtt: boolean; first: boolean },
): number | null {
  let at = until - 1;
  while (at >= begin && isEmpty(lines[at])) at--;
  if (at < begin) return null;
  const line = (lines[at] ?? "").trim();
  const close = at === until - 1;
  const alone = isEmpty(lines[at - 1]) || (first && at === begin);
  if (/^\d{1,9}$/.test(line)) {
    const next = Number(line) === expected;
    if (!close) return numbered && next ? at : null;
    // The only line after the previous times is its text unless it is the next number.
    if (at === begin && !first) return numbered && next ? at : null;
    return numbered || alone ? at : null;
  }
  if (!close || !alone || line.includes("-->")) return null;
  // Most identifiers have no spaces. Without other identifiers, a sentence is text after an empty line.
  const sentence = /\s/.test(line) && /[.?!,:\u3002]/.test(line);
  return named || (webVtt && !numbered && !sentence) || !/\s/.test(line) ? at : null;
}

/** Returns the text of a cue with one line that is certainly speech, as most have; null for another. */
function sliceSingleLine(lines: readonly string[], begin: number, end: number): string | null {
  let at = begin;
  while (at < end && isEmpty(lines[at])) at++;
  if (at >= end) return null;
  const text = (lines[at] ?? "").trim();
  if (at > begin && (isNumber(text) || /^(?:NOTE|STYLE|REGION)/.test(text))) return null;
  for (let after = at + 1; after < end; after++) if (!isEmpty(lines[after])) return null;
  return text;
}

interface Block {
  readonly at: number;
  readonly text: string[];
}

function splitBlocks(lines: readonly string[], begin: number, end: number): Block[] {
  const blocks: Block[] = [];
  for (let at = begin; at < end; at++) {
    if (isEmpty(lines[at])) continue;
    const text: string[] = [];
    const from = at;
    while (at < end && !isEmpty(lines[at])) text.push((lines[at++] ?? "").trim());
    blocks.push({ at: from, text });
  }
  return blocks;
}

/** Returns true for a block of WebVTT that is a comment, a style or a region. */
function isComment([first = "", second = ""]: readonly string[]): boolean {
  if (/^NOTE(?:\s|$)/.test(first)) return true;
  if (/^STYLE\s*$/.test(first)) return /[{:]/.test(second) || second === "";
  return /^REGION\s*$/.test(first) && /^\w+\s*[:=]/.test(second);
}

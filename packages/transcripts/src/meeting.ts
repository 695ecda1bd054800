import { countCodePoints, LIMITS } from "@minutes/contract";
import { type StatedDate, toInstant } from "./dates.js";
import { parseTitleAndDate } from "./file-name.js";
import type { Transcript, Turn } from "./transcript.js";

/** The start of a meeting and where it comes from. */
export interface MeetingStart {
  /** ISO 8601, in UTC. */
  readonly startTime: string;
  readonly source: "file" | "fileName" | "fileTime";
  /** Time zone in which a date without one was read; null if it has one. */
  readonly zone: string | null;
  /** `day`: only the UTC day is known; `guess`: the file's time; null: exact. */
  readonly precision: "day" | "guess" | null;
}

/** What is known about a file, apart from its content. */
export interface FileFacts {
  /** Without its folder and extension. */
  readonly baseName: string;
  /** Last modification: ISO 8601, UTC. */
  readonly modifiedAt: string;
  /** Zone of dates without one, as `toZone` returns it. UTC by default. */
  readonly timeZone?: string | undefined;
}

/**
 * Finds the start of a meeting: in the file, else in its name, else its last modification. A time of day of the first turn
 * completes a date without one.
 */
export function resolveStart(
  { startTime, date, firstClock }: Transcript,
  { baseName, modifiedAt, timeZone = "UTC" }: FileFacts,
): MeetingStart {
  if (startTime !== undefined) return { startTime, source: "file", zone: null, precision: null };
  const named = parseTitleAndDate(baseName).date;
  const precise = named && named.seconds !== null && (!date || isSameDay(date, named)) ? named : undefined;
  const stated = date?.seconds != null ? date : (precise ?? date ?? named);
  if (!stated) return { startTime: modifiedAt, source: "fileTime", zone: null, precision: "guess" };
  const complete = { ...stated, seconds: stated.seconds ?? firstClock ?? null };
  const begins = toInstant(complete, timeZone);
  const midnight = toInstant({ ...complete, zone: "UTC" }, "UTC");
  return {
    // Days of filters are UTC's. A day without a time begins at the later midnight, so that it is this day in both zones.
    startTime: complete.seconds === null && begins < midnight ? midnight : begins,
    source: stated === date ? "file" : "fileName",
    zone: stated.zone === null && complete.seconds !== null ? timeZone : null,
    precision: complete.seconds === null ? "day" : null,
  };
}

const isSameDay = (one: StatedDate, other: StatedDate): boolean =>
  one.year === other.year && one.month === other.month && one.day === other.day;

/** Splits turns that are too long to store. Only the first part keeps the start. */
export const splitLongTurns = (turns: readonly Turn[]): Turn[] =>
  turns.flatMap((turn): Turn[] => {
    // Counting is only needed beyond the limit in UTF-16 units.
    if (turn.text.length <= LONGEST_TURN || countCodePoints(turn.text) <= LONGEST_TURN) return [turn];
    const { start: _, end: __, ...rest } = turn;
    return splitLongText(turn.text).map((text, at) => (at === 0 ? { ...turn, text } : { ...rest, text }));
  });

/** Maximum length of a turn in UTF-16 units, which is at most the limit in characters. */
const LONGEST_TURN = LIMITS.segmentTextMax;

/** Splits a turn that is too long to store, between words where possible. */
function splitLongText(text: string): string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > LONGEST_TURN) {
    const line = text.lastIndexOf("\n", from + LONGEST_TURN);
    const space = text.lastIndexOf(" ", from + LONGEST_TURN);
    const middle = from + LONGEST_TURN / 2;
    const to =
      line > middle
        ? line
        : space > middle
          ? space
          : from + LONGEST_TURN - (isInPair(text, from + LONGEST_TURN) ? 1 : 0);
    parts.push(text.slice(from, to));
    from = text[to] === " " || text[to] === "\n" ? to + 1 : to;
  }
  return [...parts, text.slice(from)];
}

/** Returns true if a position is between the halves of a character outside of the basic plane. */
const isInPair = (text: string, at: number): boolean => /^[\uDC00-\uDFFF]/.test(text.charAt(at));

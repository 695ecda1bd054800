import { LIMITS, parseBound } from "@minutes/contract";
import { parseTime } from "../times.js";
import { cleanName, type Turn } from "../transcript.js";

/** Returns the value at a path such as `a.b`, of the first path that has one; undefined if none has. */
export function get(value: unknown, ...paths: readonly string[]): unknown {
  for (const path of paths) {
    let part = value;
    for (const key of path.split("."))
      part =
        typeof part === "object" && part !== null && Object.hasOwn(part, key)
          ? (part as Record<string, unknown>)[key]
          : undefined;
    if (part !== undefined && part !== null) return part;
  }
  return undefined;
}

/** Returns the first text at these paths that is not blank. */
export function getText(value: unknown, ...paths: readonly string[]): string | undefined {
  for (const path of paths) {
    const text = get(value, path);
    if (typeof text === "string" && text.trim() !== "") return text.trim();
  }
  return undefined;
}

/** Returns the list at the first of these paths that has one, otherwise an empty one. */
export function getList(value: unknown, ...paths: readonly string[]): readonly unknown[] {
  for (const path of paths) {
    const list = path === "" ? value : get(value, path);
    if (Array.isArray(list)) return list;
  }
  return [];
}

/** Converts seconds: a number, digits, `1:02:10`, `00:00:07.0033780`, `12.5s`. Undefined for other values. */
export function toSeconds(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  if (typeof value !== "string") return undefined;
  if (/^-?\d{1,15}(?:\.\d{1,12})?s?$/.test(value)) return Number(value.replace("s", ""));
  return parseTime(value) ?? undefined;
}

/** Converts an instant to ms: ISO 8601, or Unix time in seconds or ms. Undefined for other values. */
export function toMilliseconds(value: unknown): number | undefined {
  const number = typeof value === "string" && /^\d{9,14}(?:\.\d{1,9})?$/.test(value) ? Number(value) : value;
  if (typeof number === "number") {
    const milliseconds = number < 1e11 ? number * 1000 : number;
    return number > 1e8 && Math.abs(milliseconds) < 8.64e15 ? milliseconds : undefined;
  }
  if (typeof value !== "string" || !/^\d{4}-\d{2}-\d{2}/.test(value)) return undefined;
  // A time without a zone is in UTC.
  const zoned = /^\d{4}-\d{2}-\d{2}$|(?:Z|[+-]\d{2}:?\d{2})$/i.test(value)
    ? value
    : `${value.replace(" ", "T")}Z`;
  // `Date.parse` takes February 31 for a day of March.
  if (parseBound(value.slice(0, 10), "start") === null) return undefined;
  const milliseconds = Date.parse(zoned);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** Converts an instant to ISO 8601. */
export function toInstantText(value: unknown): string | undefined {
  const milliseconds = toMilliseconds(value);
  return milliseconds === undefined ? undefined : new Date(milliseconds).toISOString();
}

/** A piece of speech with times in any form. */
export interface Piece {
  /** Undefined: the file does not name the speaker. */
  readonly speaker: string | undefined;
  readonly email?: string | undefined;
  readonly text: unknown;
  readonly start?: unknown;
  readonly end?: unknown;
}

/** The unit of a format's times. */
export type Unit = "seconds" | "milliseconds" | "instants";

/** Speech of a file, with counts of what was left out. */
export interface Speech {
  readonly turns: readonly (Omit<Turn, "speaker"> & { readonly speaker: string | null })[];
  readonly remarks: readonly string[];
  /** Instant of the first turn, for times that are instants. */
  readonly startTime?: string | undefined;
}

/** Converts pieces to turns. Instants count from `origin`, or from the first. Times that are not valid are left out. */
export function toSpeech(
  pieces: readonly Piece[],
  unit: Unit = "seconds",
  origin?: string | undefined,
): Speech {
  let invalid = 0;
  const convert = (value: unknown): number | undefined => {
    if (value === undefined || value === null || value === "") return undefined;
    const seconds =
      unit === "instants"
        ? (toMilliseconds(value) ?? Number.NaN) / 1000
        : (toSeconds(value) ?? Number.NaN) / (unit === "milliseconds" && !/:/.test(String(value)) ? 1000 : 1);
    if (Number.isFinite(seconds)) return seconds;
    invalid++;
    return undefined;
  };
  const times = pieces.map(({ start, end }) => ({ start: convert(start), end: convert(end) }));
  const began = times.find(({ start }) => start !== undefined)?.start;
  const zero = unit === "instants" ? (origin === undefined ? (began ?? 0) : Date.parse(origin) / 1000) : 0;
  const shift = (time: number | undefined): number | undefined => {
    if (time === undefined) return undefined;
    const seconds = Math.round(Math.max(unit === "instants" ? 0 : -1, time - zero) * 1000) / 1000;
    if (seconds >= 0 && seconds <= LIMITS.segmentSecondsMax) return seconds;
    invalid++;
    return undefined;
  };
  const turns = pieces.flatMap(({ speaker, email, text }, at) => {
    const said = typeof text === "string" ? text.trim() : "";
    if (said === "") return [];
    const start = shift(times[at]?.start);
    const end = shift(times[at]?.end);
    const name = speaker === undefined ? "" : cleanName(speaker);
    return [
      {
        speaker: name === "" ? null : name,
        text: said,
        ...(email === undefined ? {} : { email }),
        ...(start === undefined ? {} : { start }),
        ...(start === undefined || end === undefined || end < start ? {} : { end }),
      },
    ];
  });
  const startTime = unit === "instants" && began !== undefined ? toInstantText(began * 1000) : undefined;
  return {
    turns,
    startTime,
    remarks:
      invalid > 0 ? [`${invalid} ${invalid === 1 ? "time is" : "times are"} not valid and left out.`] : [],
  };
}

/** A word, or a punctuation mark, which is not preceded by a space. */
export interface Word {
  readonly speaker: string | undefined;
  readonly text: string;
  readonly start?: unknown;
  readonly end?: unknown;
  readonly close?: boolean;
}

/** Joins words to pieces, one for each change of speaker. */
export function joinWords(words: readonly Word[], space = " "): Piece[] {
  const pieces: { speaker: string | undefined; parts: string[]; start: unknown; end: unknown }[] = [];
  for (const { speaker, text, start, end, close } of words) {
    const last = pieces.at(-1);
    if (last && (last.speaker === speaker || close)) {
      last.parts.push(close ? text : `${space}${text}`);
      last.end = end ?? last.end;
    } else pieces.push({ speaker, parts: [text], start, end });
  }
  return pieces.map(({ parts, ...piece }) => ({ ...piece, text: parts.join("") }));
}

/** Names a speaker who has only a number, from 0. */
export const toNumberedSpeaker = (number: unknown): string | undefined => {
  if (typeof number === "number") return `Speaker ${number + 1}`;
  return typeof number === "string" && /^\d{1,4}$/.test(number) ? `Speaker ${Number(number) + 1}` : undefined;
};

/** Lists the fields with content that a meeting has no place for. */
export const listNotStored = (value: unknown, fields: readonly string[]): string[] =>
  fields.filter((field) => {
    const content = get(value, field);
    if (content === undefined || content === "" || content === false) return false;
    return typeof content !== "object" || Object.keys(content as object).length > 0;
  });

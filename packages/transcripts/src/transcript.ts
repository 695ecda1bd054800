import type { MeetingImportInput } from "@minutes/contract";
import type { StatedDate } from "./dates.js";

export type Task = NonNullable<MeetingImportInput["tasks"]>[number];
export type Tag = NonNullable<MeetingImportInput["tags"]>[number];
export type CalendarEvent = NonNullable<MeetingImportInput["calendarEvent"]>;

/** One uninterrupted piece of speech in a transcript file. */
export interface Turn {
  /** Null if the file doesn't name the speaker: the previous one continues. */
  readonly speaker: string | null;
  readonly email?: string | undefined;
  /** Distinguishes speakers of the same name; absent where the name does. */
  readonly voice?: number | undefined;
  readonly text: string;
  /** Seconds from the start of the recording. */
  readonly start?: number | undefined;
  /** Seconds from the start of the recording. */
  readonly end?: number | undefined;
}

/** A line without a speaker. */
export interface UnassignedLine {
  /** Line number, from 1. */
  readonly line: number;
  readonly reason: string;
}

/** A label of which it is uncertain whether it names a speaker. */
export interface Doubt {
  readonly label: string;
  /** Number of times that the file has it. */
  readonly count: number;
  /** True if it was taken as a speaker. */
  readonly speaker: boolean;
}

/** A meeting read from a file. */
export interface Transcript {
  readonly turns: readonly Turn[];
  /** Lines without a speaker. `turns` also has their text, under `UNKNOWN_SPEAKER`. */
  readonly unassigned: readonly UnassignedLine[];
  readonly title?: string | undefined;
  readonly generatedTitle?: string | undefined;
  /** Markdown before and after the transcript: a summary, or notes. */
  readonly notes?: string | undefined;
  /** One-line summary. */
  readonly short?: string | undefined;
  readonly tasks?: readonly Task[] | undefined;
  readonly tags?: readonly Tag[] | undefined;
  readonly event?: CalendarEvent | undefined;
  /** ISO 8601, in UTC. */
  readonly startTime?: string | undefined;
  /** Start as the text states it; ignored if `startTime` is known. */
  readonly date?: StatedDate | undefined;
  /** Time of day of the first turn, in seconds; absent if the file has offsets. */
  readonly firstClock?: number | undefined;
  /** ISO 8601, in UTC. */
  readonly endTime?: string | undefined;
  /** The ID that the meeting has where it was exported, for a meeting of this API. */
  readonly id?: string | undefined;
  /** E-mail address of the person who recorded the meeting, for a meeting of this API. */
  readonly ownerEmail?: string | undefined;
  /** Labels of which it is uncertain whether they are speakers. */
  readonly doubts?: readonly Doubt[] | undefined;
  /** What was corrected or assumed. */
  readonly remarks?: readonly string[] | undefined;
  /** Content of the file that is not kept, by field. */
  readonly notStored?: readonly string[] | undefined;
}

export interface ReadOptions {
  /** Keeps text without a speaker under `UNKNOWN_SPEAKER`, and returns its lines as unassigned. */
  readonly lenient?: boolean | undefined;
  /** Labels that are speakers. */
  readonly speakers?: readonly string[] | undefined;
  /** Labels that are speech. */
  readonly notSpeakers?: readonly string[] | undefined;
  /** Names of people who are likely to speak. */
  readonly people?: readonly string[] | undefined;
  /** Number of meetings after which reading a list ends. */
  readonly most?: number | undefined;
}

/** A part of a file that can't be parsed in the file's format. */
export class TranscriptError extends Error {
  override name = "TranscriptError";
  constructor(
    /** Line number, from 1; null if the problem has no line. */
    readonly line: number | null,
    message: string,
  ) {
    super(message);
  }
}

/** Speaker of text without a name. */
export const UNKNOWN_SPEAKER = "Unknown speaker";

/**
 * Converts turns to a meeting's segments. A turn without a name continues the previous speaker. Equal names are one
 * speaker unless their voices differ, numbered by first appearance.
 */
export function toSegments(turns: readonly Turn[]): NonNullable<MeetingImportInput["transcript"]> {
  const ids = new Map<string, string>();
  let current = UNKNOWN_SPEAKER;
  return turns.map(({ speaker, email, voice, text, start, end }) => {
    current = speaker ?? current;
    const identity = voice === undefined ? current : `${voice}\0${current}`;
    const speakerId = ids.get(identity) ?? `s${ids.size + 1}`;
    ids.set(identity, speakerId);
    return {
      speakerId,
      speakerName: current,
      ...(email === undefined ? {} : { speakerEmail: email }),
      text,
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
    };
  });
}

/**
 * Splits a file into lines and removes its byte order mark. Every character not matched by `.` in a regular expression
 * ends a line.
 */
export const splitLines = (text: string): string[] =>
  text.replace(/^\uFEFF/, "").split(/\r\n?|[\n\u2028\u2029]/);

/** Joins the lines of a text with single spaces, and collapses all whitespace. */
export const joinLines = (text: string): string =>
  /[^\S ]| {2}|^ | $/.test(text) ? text.split(/\s+/).join(" ").trim() : text;

/** Marks that set the direction of text and are invisible. */
const DIRECTION = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\uFEFF]/g;

/** Cleans a speaker's name: one line, single spaces, no marks of direction. */
export const cleanName = (name: string): string => joinLines(name.replace(DIRECTION, ""));

/** The fields that every transcript has. Whether speech lacks a speaker is found when all is read. */
export const UNNAMED = { turns: [], unassigned: [] } as const satisfies Transcript;

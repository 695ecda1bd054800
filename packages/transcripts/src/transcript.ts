import type { MeetingImportInput } from "@minutes/contract";

type Task = NonNullable<MeetingImportInput["tasks"]>[number];

/** One uninterrupted piece of speech in a transcript file. */
export interface Turn {
  /** Null if the file doesn't name the speaker. */
  readonly speaker: string | null;
  readonly email?: string | undefined;
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

/** The content of a transcript file. */
export interface Transcript {
  readonly turns: readonly Turn[];
  /** Lines without a speaker. `turns` also has their text, under `UNKNOWN_SPEAKER`. */
  readonly unassigned: readonly UnassignedLine[];
  readonly title?: string | undefined;
  /** Markdown before the transcript: a summary, or notes. */
  readonly notes?: string | undefined;
  readonly tasks?: readonly Task[] | undefined;
  /** ISO 8601, in UTC. */
  readonly startTime?: string | undefined;
  /** ISO 8601, in UTC. */
  readonly endTime?: string | undefined;
}

export interface ReadOptions {
  /** Keeps text without a speaker under `UNKNOWN_SPEAKER`, and returns its lines as unassigned. */
  readonly lenient?: boolean | undefined;
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
 * speaker, numbered by first appearance.
 */
export function toSegments(turns: readonly Turn[]): NonNullable<MeetingImportInput["transcript"]> {
  const ids = new Map<string, string>();
  let current = UNKNOWN_SPEAKER;
  return turns.map(({ speaker, email, text, start, end }) => {
    current = speaker ?? current;
    const speakerId = ids.get(current) ?? `s${ids.size + 1}`;
    ids.set(current, speakerId);
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

import type { MeetingImportInput } from "@minutes/contract";

type Task = NonNullable<MeetingImportInput["tasks"]>[number];

/** One uninterrupted piece of speech, as a transcript file has it. */
export interface Turn {
  /** Null where the file does not say who speaks. */
  readonly speaker: string | null;
  readonly email?: string | undefined;
  readonly text: string;
  /** Seconds from the start of the recording. */
  readonly start?: number | undefined;
  /** Seconds from the start of the recording. */
  readonly end?: number | undefined;
}

/** A line that belongs to no speaker. */
export interface UnassignedLine {
  /** Counted from 1. */
  readonly line: number;
  readonly reason: string;
}

/** What a transcript file says. */
export interface Transcript {
  readonly turns: readonly Turn[];
  /** Lines whose speaker is unknown. Their text is in `turns` too, under `UNKNOWN_SPEAKER`. */
  readonly unassigned: readonly UnassignedLine[];
  readonly title?: string | undefined;
  /** Markdown that stands before the transcript: a summary, or notes. */
  readonly notes?: string | undefined;
  readonly tasks?: readonly Task[] | undefined;
  /** ISO 8601, in UTC. */
  readonly startTime?: string | undefined;
  /** ISO 8601, in UTC. */
  readonly endTime?: string | undefined;
}

export interface ReadOptions {
  /** Keeps text whose speaker is unknown, under `UNKNOWN_SPEAKER`, and returns its lines as unassigned. */
  readonly lenient?: boolean | undefined;
}

/** A place in a file that can not be read as what the file is. */
export class TranscriptError extends Error {
  override name = "TranscriptError";
  constructor(
    /** Counted from 1; null where the fault has no line. */
    readonly line: number | null,
    message: string,
  ) {
    super(message);
  }
}

/** Names the speaker of text that no name precedes. */
export const UNKNOWN_SPEAKER = "Unknown speaker";

/**
 * Converts turns to the segments of a meeting. A turn without a name continues the speaker before it. Equal names are
 * one speaker, numbered in the order in which they first speak.
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

/** Splits a file into lines, whatever ends them, without its byte order mark. */
export const splitLines = (text: string): string[] => text.replace(/^\uFEFF/, "").split(/\r\n?|\n/);

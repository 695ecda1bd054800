import type { MeetingImportInput } from "@minutes/contract";

/** A turn as a transcript file has it. */
export interface ReadTurn {
  /** Null where the file doesn't say who speaks. */
  readonly speaker: string | null;
  readonly text: string;
  /** Seconds from the start. */
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** A place in a file that can't be read as what the file is. */
export class TranscriptError extends Error {
  override name = "TranscriptError";
  constructor(
    /** Counted from 1. */
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

/** Who speaks where a file names nobody before. */
const NOBODY = "Speaker";

/**
 * Turns as the segments of a meeting. One without a name goes on with the speaker before; equal names are one
 * speaker, numbered in the order in which they first speak.
 */
export function segmentsOf(turns: readonly ReadTurn[]): NonNullable<MeetingImportInput["transcript"]> {
  const ids = new Map<string, string>();
  let speaker = NOBODY;
  return turns.map(({ speaker: named, text, start, end }) => {
    speaker = named ?? speaker;
    const speakerId = ids.get(speaker) ?? `s${ids.size + 1}`;
    ids.set(speaker, speakerId);
    return {
      speakerId,
      speakerName: speaker,
      text,
      ...(start === undefined ? {} : { start }),
      ...(end === undefined ? {} : { end }),
    };
  });
}

/** A name of at most five words without punctuation of a sentence, and what it says. `**Name**: text` is ours. */
const NAMED =
  /^(?:[-–]\s*)?\*{0,2}([\p{L}\p{N}(][^\s:.?!,;*]*\.?(?: [^\s:?!,;*]+){0,4})\*{0,2}:\*{0,2}(?:\s+(.*))?$/su;

/** `Name: text` in its parts; null for a line that names nobody. */
export function splitName(line: string): { speaker: string; text: string } | null {
  const match = NAMED.exec(line);
  return match?.[1] ? { speaker: match[1], text: match[2] ?? "" } : null;
}

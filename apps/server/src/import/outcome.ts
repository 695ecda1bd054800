import type { MeetingImport } from "@minutes/contract";
import type { UnassignedLine } from "@minutes/transcripts";

/** What the command line says about all meetings of an import. */
export interface ImportOptions {
  readonly owner?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Takes transcripts with lines whose speaker is unknown, and reports those lines. */
  readonly lenient?: boolean | undefined;
  /** Says how to choose `lenient`, where a transcript needs it; the command line's option when absent. */
  readonly lenientHint?: string | undefined;
}

/** A file to read meetings from. */
export interface TextFile {
  /** Its ending says the format; it may hold the meeting's title and start. */
  readonly name: string;
  readonly text: string;
  /** When it was written last: ISO 8601, UTC. */
  readonly modifiedAt: string;
}

/** A meeting or a whole file that was not imported. */
export interface Failure {
  readonly file: string;
  /** Its place in a file that holds several; null where it is the file that is at fault. */
  readonly index: number | null;
  /** Counted from 1; null where the fault has no line. */
  readonly line: number | null;
  readonly error: string;
}

/** Lines of a file that were kept although nobody is named for them. */
export interface LinesWithoutSpeaker {
  readonly file: string;
  /** Counted from 1. */
  readonly unassigned: readonly number[];
}

/** The result of one meeting (`valid`: it was only checked), or a remark about its file. */
export type Outcome = "created" | "unchanged" | "valid" | Failure | LinesWithoutSpeaker;

/** A meeting that is fit to be imported. */
export interface CheckedMeeting {
  readonly index: number | null;
  readonly line: number | null;
  readonly input: MeetingImport;
  /** Lines that were kept under an unknown speaker; only with `lenient`. */
  readonly unassigned?: readonly UnassignedLine[];
}

/** A meeting as it stands in a file, not checked yet. */
export interface UncheckedMeeting {
  readonly index: number | null;
  readonly line: number | null;
  readonly meeting: unknown;
  readonly unassigned?: readonly UnassignedLine[];
}

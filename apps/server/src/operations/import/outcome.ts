import type { ExportRecord, ImportOverwrite, MeetingImport } from "@minutes/contract";
import type { UnassignedLine } from "@minutes/transcripts";
import type { z } from "zod";

/** Options for all meetings of an import. */
export interface ImportOptions {
  readonly owner?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Accepts transcript lines without a speaker, and reports them. */
  readonly lenient?: boolean | undefined;
  /** Tells how to enable `lenient`, if a transcript needs it; the command line's option by default. */
  readonly lenientHint?: string | undefined;
  /** Maximum meetings per file; a file with more is refused before validation. */
  readonly maxMeetings?: number | undefined;
  /** How to treat existing meetings. */
  readonly overwrite?: Partial<ImportOverwrite> | undefined;
}

/** Stores imported objects. For a refusal, each function throws an error that `toRefusal` understands. */
export interface ImportTarget {
  importMeeting(meeting: MeetingImport & Partial<ImportOverwrite>): Promise<StoredMeeting>;
  restoreRecord(record: z.output<typeof ExportRecord>): Promise<{ readonly created: boolean }>;
}

/** The result of storing one meeting. */
export interface StoredMeeting {
  /** True for a new meeting. */
  readonly created: boolean;
  /** True if the content was replaced. */
  readonly replaced?: boolean | undefined;
  /** Fields that were not stored. */
  readonly notStored?: readonly string[] | undefined;
}

/** A file to read meetings from. */
export interface TextFile {
  /** Its extension determines the format; it can contain the meeting's title and start. */
  readonly name: string;
  readonly text: string;
  /** Last modification: ISO 8601, UTC. */
  readonly modifiedAt: string;
}

/** A meeting or a whole file that was not imported. */
export interface Failure {
  readonly file: string;
  /** Index in a file with several meetings; null if the problem is the file. */
  readonly index: number | null;
  /** Line number, from 1; null if the problem has no line. */
  readonly line: number | null;
  readonly error: string;
}

/** Lines of a file kept without a speaker. */
export interface LinesWithoutSpeaker {
  readonly file: string;
  /** Line numbers, from 1. */
  readonly unassigned: readonly number[];
}

/** Fields that were not stored of a stored meeting. */
export interface FieldsNotStored {
  readonly file: string;
  /** As `Failure.index` and `Failure.line`. */
  readonly index: number | null;
  readonly line: number | null;
  /** Such as `tags.color`. */
  readonly notStored: readonly string[];
}

/** The result of one meeting (`valid`: only validated), or a remark about it or its file. */
export type Outcome =
  | "created"
  | "replaced"
  | "unchanged"
  | "valid"
  | Failure
  | LinesWithoutSpeaker
  | FieldsNotStored;

/** A validated meeting. */
export interface CheckedMeeting {
  readonly index: number | null;
  readonly line: number | null;
  readonly input: MeetingImport;
  /** Numbers of lines kept with an unknown speaker, from 1; only with `lenient`. */
  readonly unassigned: readonly number[];
}

/** A meeting from a file, not validated yet. */
export interface UncheckedMeeting {
  readonly index: number | null;
  readonly line: number | null;
  readonly meeting: unknown;
  readonly unassigned?: readonly UnassignedLine[];
}

/** A document to parse in a thread. */
export interface DocumentQuestion {
  readonly file: TextFile;
  readonly options: ImportOptions;
}

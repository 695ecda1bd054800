import type {
  ExportRecord,
  ImportOverwrite,
  MeetingImport,
  UploadPreview,
  Vocabulary,
} from "@minutes/contract";
import type { z } from "zod";

/** What was read from a file for one meeting, and what was assumed. */
export type Reading = Omit<UploadPreview["meetings"][number], "duplicate">;

/** Options for all meetings of an import. */
export interface ImportOptions {
  readonly owner?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  /** Accepts transcript lines without a speaker, and reports them. */
  readonly lenient?: boolean | undefined;
  /** Tells how to enable `lenient`, if a transcript needs it; the command line's option by default. */
  readonly lenientHint?: string | undefined;
  /** Labels in transcripts that are speakers, and labels that are speech. */
  readonly speakers?: readonly string[] | undefined;
  readonly notSpeakers?: readonly string[] | undefined;
  /** Names of people who are likely to speak. */
  readonly people?: readonly string[] | undefined;
  /** Zone of dates without one: an IANA name, abbreviation or offset. UTC by default. */
  readonly timeZone?: string | undefined;
  /** Title of the only meeting, whatever the file says. */
  readonly title?: string | undefined;
  /** Starts of meetings, whatever the file says. */
  readonly starts?: readonly GivenStart[] | undefined;
  /** Maximum meetings per file; a file with more is refused before validation. */
  readonly maxMeetings?: number | undefined;
  /** Shares each meeting with the members of its owner's workspace who spoke or were invited. */
  readonly share?: boolean | undefined;
  /** How to treat existing meetings. */
  readonly overwrite?: Partial<ImportOverwrite> | undefined;
}

/** The start of the meeting at a place. */
interface GivenStart extends Pick<Failure, "file" | "index" | "line"> {
  readonly startTime: string;
}

/** A meeting to store, and which of its fields are only assumed. */
export type AssumedMeeting = MeetingImport & {
  /** Fields that a repeated import can have other values of, such as a start from the file's time. */
  readonly assumed?: AssumedField[];
};
export type AssumedField = "title" | "startTime" | "startPrecision" | "endTime" | "transcript";

/** Stores imported objects. For a refusal, each function throws an error that `toRefusal` understands. */
export interface ImportTarget {
  importMeeting(
    meeting: AssumedMeeting & Partial<ImportOverwrite> & Pick<ImportOptions, "share">,
  ): Promise<StoredMeeting>;
  /** Returns false if importing this recording would change nothing. Its transcript is ignored. */
  isNeeded(meeting: AssumedMeeting & Partial<ImportOverwrite>): Promise<boolean>;
  /** Returns the terms that are likely to be said in a user's meetings. */
  getVocabulary(ownerEmail: string): Promise<Vocabulary>;
  restoreRecord(record: z.output<typeof ExportRecord>): Promise<{ readonly created: boolean }>;
}

/** Finds out for a dry run what is stored already. */
export interface ImportCheck {
  /**
   * Finds out whether the owner's workspace has a meeting with this external ID, who it would be shared with, and who could
   * read it anyway. Throws refusals as `ImportTarget` does.
   */
  check(meeting: MeetingImport): Promise<Required<ReadableMeeting> & { readonly stored: boolean }>;
}

/** The result of storing one meeting. */
export interface StoredMeeting {
  /** True for a new meeting. */
  readonly created: boolean;
  /** True if the content was replaced. */
  readonly replaced?: boolean | undefined;
  /** True for a meeting that waits for its summary. */
  readonly waits?: boolean | undefined;
  /** True for a new meeting of a dry run. */
  readonly valid?: boolean | undefined;
  /** Fields that were not stored. */
  readonly notStored?: readonly string[] | undefined;
  /** As of `ReadableMeeting`; `readers` is absent if nobody asks for them. */
  readonly sharedWith?: readonly string[] | undefined;
  readonly readers?: ReadableMeeting["readers"] | undefined;
  /** Its ID; absent in a dry run. */
  readonly meetingId?: string | undefined;
  /** Start of a meeting that was there already; otherwise absent. */
  readonly startTime?: string | undefined;
}

/** A file to read meetings from. */
export interface SourceFile {
  /** Its extension determines the format where the content fits several; it can contain the meeting's title and start. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The meeting's ID, if it was derived before. */
  readonly externalId?: string;
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
  /** True if a retry can succeed: the transcriber or the server failed, or no transcriber is set up. */
  readonly passes?: true;
}

/** Files of an archive that were not read, because their format is unknown. */
export interface SkippedFiles {
  /** Paths, which begin with the archive's. */
  readonly skipped: readonly string[];
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

/** A meeting that was there already, with another start than the file says. */
export interface OtherStart {
  readonly file: string;
  /** As `Failure.index` and `Failure.line`. */
  readonly index: number | null;
  readonly line: number | null;
  /** The start that the file says: its name has it. */
  readonly startTime: string;
  readonly existing: { readonly meetingId: string; readonly startTime: string };
}

/** Who can read a meeting. In a dry run: who could. */
export interface ReadableMeeting {
  /** With `share`: addresses of the members it was shared with because they spoke or were invited; empty if none is a member. */
  readonly sharedWith?: readonly string[];
  /** Everyone but the owner who can read it, and the names of the shared tags through which they can. */
  readonly readers: readonly { readonly email: string; readonly tags: readonly string[] }[];
}

/** What was read for a meeting, before it is stored. */
export interface ReadMeeting {
  readonly file: string;
  /** As `Failure.index` and `Failure.line`. */
  readonly index: number | null;
  readonly line: number | null;
  readonly reading: Reading;
  /** True in a dry run if the meeting is stored already. */
  readonly stored?: true;
}

/**
 * The result of one meeting, or a remark about it or its file. `waiting`: created, and can be read when its summary is
 * written. `valid`: only validated.
 */
export type Outcome =
  | "created"
  | "waiting"
  | "replaced"
  | "unchanged"
  | "valid"
  | Failure
  | SkippedFiles
  | LinesWithoutSpeaker
  | FieldsNotStored
  | ReadableMeeting
  | OtherStart
  | ReadMeeting;

/** A validated meeting. */
export interface CheckedMeeting {
  /** File within an archive, otherwise the file itself. */
  readonly file: string;
  readonly index: number | null;
  readonly line: number | null;
  readonly input: MeetingImport;
  readonly assumed: AssumedField[];
  readonly reading: Reading;
  /** Numbers of lines kept with an unknown speaker, from 1; only with `lenient`. */
  readonly unassigned: readonly number[];
  /** Fields of the file that meetings have no place for. */
  readonly notStored: readonly string[];
}

/** What a file or an archive contains. */
export type ParsedPart = CheckedMeeting | Failure | SkippedFiles;

/** A document to parse in a thread. */
export interface DocumentQuestion {
  readonly file: SourceFile;
  readonly options: ImportOptions;
}

import { createHash, type Hash } from "node:crypto";
import { basename, extname } from "node:path";
import { MESSAGES, MeetingImport, toInputSentence } from "@minutes/contract";
import {
  type FileContent,
  type FileMeeting,
  hasKnownExtension,
  isZip,
  type MeetingStart,
  parseTitleAndDate,
  type ReadOptions,
  readFile,
  resolveStart,
  splitLongTurns,
  type Transcript,
  TranscriptError,
  toSegments,
  toZone,
  UNKNOWN_SPEAKER,
  UnknownFormatError,
  unzip,
} from "@minutes/transcripts";
import type { z } from "zod";
import { describeMeeting } from "./describe-meeting.js";
import { isIgnored } from "./ignored-files.js";
import type {
  AssumedField,
  CheckedMeeting,
  Failure,
  ImportOptions,
  ParsedPart,
  SourceFile,
} from "./outcome.js";

type Issue = z.core.$ZodIssue;

/** A meeting of a file, not validated yet. */
interface Unchecked {
  readonly meeting: object;
  readonly start?: MeetingStart;
  readonly transcript?: Transcript;
  readonly assumed: AssumedField[];
}

/**
 * Parses the meetings of a file, or of the files of an archive, and validates each. The content determines the format. Files of an
 * archive that were skipped come last.
 */
export async function parseMeetings(file: SourceFile, options: ImportOptions): Promise<ParsedPart[]> {
  const refuse = (error: string) => [{ file: file.name, index: null, line: null, error }];
  if (hasUnknownZone(options)) return refuse(UNKNOWN_ZONE);
  try {
    const { files, skipped } = (await listArchive(file)) ?? { files: [file], skipped: [] };
    const parsed: ParsedPart[] = files.length === 0 ? refuse(NO_FILES) : [];
    for (const one of files) {
      parsed.push(...(await parseFile(one, options)));
      if (parsed.length > (options.maxMeetings ?? Number.POSITIVE_INFINITY))
        return refuse(MESSAGES.tooManyUploaded);
    }
    return skipped.length === 0 ? parsed : [...parsed, { skipped }];
  } catch (error) {
    return [{ file: file.name, index: null, ...describeReadError(error) }];
  }
}

const hasUnknownZone = ({ timeZone }: ImportOptions): boolean =>
  timeZone !== undefined && toZone(timeZone) === null;

const UNKNOWN_ZONE =
  "The time zone is unknown. Use a name such as Europe/Berlin, or an offset such as +02:00.";
const NO_MEETINGS = "This file has no meetings.";
const NO_FILES = "The archive has no files that can be imported.";

interface Archive {
  readonly files: readonly SourceFile[];
  /** Paths of files in an unknown format. */
  readonly skipped: readonly string[];
}

/** Lists the files of an archive that can be imported; null for any other file. */
async function listArchive(file: SourceFile): Promise<Archive | null> {
  if (!isZip(file.bytes) || extname(file.name).toLowerCase() === ".docx") return null;
  let isDocument = false;
  const skipped: string[] = [];
  const toPath = (name: string) => `${file.name}/${name}`;
  const files = await unzip(file.bytes, (name) => {
    isDocument ||= name === "word/document.xml";
    if (isDocument || isIgnored(name)) return false;
    const isKnown = hasKnownExtension(name);
    if (!isKnown) skipped.push(toPath(name));
    return isKnown;
  });
  if (isDocument) return null;
  return { files: files.map((one) => ({ ...one, name: toPath(one.name) })), skipped };
}

async function parseFile(file: SourceFile, options: ImportOptions): Promise<(CheckedMeeting | Failure)[]> {
  try {
    const { lenient, speakers, notSpeakers, people, maxMeetings } = options;
    const most = maxMeetings === undefined ? undefined : maxMeetings + 1;
    const content = await readFile(file, {
      lenient,
      speakers,
      notSpeakers,
      people,
      most,
    } satisfies ReadOptions);
    const { meetings } = content;
    if (meetings.length > (options.maxMeetings ?? Number.POSITIVE_INFINITY))
      return [{ file: file.name, index: null, line: null, error: MESSAGES.tooManyUploaded }];
    if (meetings.length === 0) return [{ file: file.name, index: null, line: null, error: NO_MEETINGS }];
    return meetings.map((one) => checkMeeting(file, content, one, options));
  } catch (error) {
    return [{ file: file.name, index: null, ...describeReadError(error) }];
  }
}

/** Validates a transcript that was not read from the file itself, but belongs to it: that of a recording. */
export function checkTranscript(
  file: SourceFile,
  transcript: Transcript,
  options: ImportOptions,
): CheckedMeeting | Failure {
  if (hasUnknownZone(options)) return { file: file.name, index: null, line: null, error: UNKNOWN_ZONE };
  const one = { transcript, index: null, line: null };
  return checkMeeting(file, { meetings: [one], text: null, encoding: null, assumed: false }, one, options);
}

function checkMeeting(
  file: SourceFile,
  content: FileContent,
  one: FileMeeting,
  options: ImportOptions,
): CheckedMeeting | Failure {
  const { index, line } = one;
  const place = { file: file.name, index, line };
  if ("error" in one) return { ...place, error: one.error };
  let unchecked: Unchecked;
  try {
    unchecked =
      "meeting" in one
        ? { meeting: one.meeting as object, assumed: [] }
        : toMeeting(file, content, one.transcript, options);
  } catch (error) {
    if (!(error instanceof TranscriptError)) throw error;
    return { ...place, line: line ?? error.line, error: error.message };
  }
  const { meeting, transcript, start, assumed } = unchecked;
  const given = {
    title: content.meetings.length === 1 ? options.title : undefined,
    startTime: options.starts?.find((other) => isSamePlace(other, place))?.startTime,
  };
  const checked = MeetingImport.safeParse(applyOverrides(meeting, options, given));
  if (!checked.success)
    return { ...place, error: describeFaults(checked.error.issues, options.owner === undefined) };
  const input = checked.data;
  return {
    ...place,
    input,
    assumed: assumed.filter((field) => given[field === "title" ? "title" : "startTime"] === undefined),
    reading: describeMeeting(
      place,
      content,
      input,
      transcript,
      given.startTime === undefined ? start : undefined,
    ),
    unassigned: (transcript?.unassigned ?? []).map((unassigned) => unassigned.line),
    notStored: transcript?.notStored ?? [],
  };
}

type Place = Pick<Failure, "file" | "index" | "line">;
const isSamePlace = (one: Place, other: Place): boolean =>
  one.file === other.file && one.index === other.index && one.line === other.line;

/**
 * Converts a transcript to a meeting. The ID of a meeting of this API is kept; any other is derived from the content, so
 * importing it again is a no-op.
 * @throws TranscriptError for a line without a speaker, unless `lenient`
 */
function toMeeting(
  file: SourceFile,
  content: FileContent,
  transcript: Transcript,
  options: ImportOptions,
): Unchecked {
  const { unassigned, tasks, tags, event, notes, short, generatedTitle } = transcript;
  const nobody = transcript.turns.every(({ speaker }) => speaker === null || speaker === UNKNOWN_SPEAKER);
  const {
    owner = transcript.ownerEmail,
    lenient,
    lenientHint = nobody
      ? "Use --speaker <name> if one person speaks, or --lenient to keep such lines."
      : "Use --lenient to keep such lines.",
  } = options;
  const [first] = unassigned;
  if (first && !lenient) {
    const more = unassigned.length - 1;
    const others = more > 0 ? ` ${more} more ${more === 1 ? "line has" : "lines have"} no speaker.` : "";
    const line = content.text === null || /\.jsonl?$/i.test(file.name) ? null : first.line;
    throw new TranscriptError(line, `${first.reason}${others} ${lenientHint}`);
  }
  const baseName = basename(file.name, extname(file.name));
  const timeZone = options.timeZone === undefined ? undefined : (toZone(options.timeZone) ?? undefined);
  const start = resolveStart(transcript, { baseName, modifiedAt: file.modifiedAt, timeZone });
  const { startTime, precision } = start;
  const turns = splitLongTurns(transcript.turns);
  // A meeting of this API without an end has none.
  const endTime = transcript.endTime ?? (transcript.id === undefined ? findEnd(startTime, turns) : undefined);
  const named = transcript.title?.trim() || undefined;
  const title = named ?? (titleFromName(baseName) || `Meeting of ${startTime.slice(0, 10)}`);
  const meeting = {
    externalId: transcript.id ?? file.externalId ?? deriveId(owner, file, content, transcript),
    ownerEmail: owner,
    title,
    ...(generatedTitle ? { generatedTitle } : {}),
    startTime,
    ...(precision === null ? {} : { startPrecision: precision }),
    ...(endTime === undefined || endTime < startTime ? {} : { endTime }),
    ...(event ? { calendarEvent: event } : {}),
    transcript: toSegments(turns),
    ...(notes ? { summary: { markdown: notes, ...(short ? { short } : {}) } } : {}),
    ...(tasks && tasks.length > 0 ? { tasks } : {}),
    ...(tags && tags.length > 0 ? { tags } : {}),
  };
  // What the file's name or time can say depends on neither: the same content is the same meeting.
  const isDated = transcript.startTime !== undefined || transcript.date?.seconds != null;
  const assumed: AssumedField[] = [
    ...(named === undefined ? (["title"] as const) : []),
    ...(isDated ? [] : (["startTime", "startPrecision"] as const)),
    ...(isDated || transcript.endTime !== undefined ? [] : (["endTime"] as const)),
  ];
  return { meeting, start, transcript, assumed };
}

function findEnd(startTime: string, turns: Transcript["turns"]): string | undefined {
  const last = turns.reduce((latest, { start, end }) => Math.max(latest, end ?? start ?? 0), 0);
  const spokenUntil = new Date(Date.parse(startTime) + Math.ceil(last * 1000));
  // A turn can end after the maximum date; validation refuses it with the other fields.
  return last > 0 && !Number.isNaN(spokenUntil.getTime()) ? spokenUntil.toISOString() : undefined;
}

const titleFromName = (baseName: string): string | undefined => parseTitleAndDate(baseName).title;

/** Derives an ID from a file's content; of a list, from the meeting, so that a longer list repeats its meetings. */
function deriveId(
  owner: string | undefined,
  { bytes }: SourceFile,
  { text, meetings }: FileContent,
  transcript: Transcript,
): string {
  const hash = createHash("sha256").update(`${owner}\n`);
  if (meetings.length > 1) {
    const { title, startTime, turns, notes } = transcript;
    hash.update(
      JSON.stringify([
        title,
        startTime,
        notes,
        turns.map(({ speaker, text: said, start }) => [speaker, said, start]),
      ]),
    );
  } else hash.update(text ?? bytes);
  return toFileId(hash);
}

const toFileId = (hash: Hash): string => `file:${hash.digest("hex").slice(0, 40)}`;

/** Derives the same ID for a file that is read in pieces, because it can be large. */
export async function deriveFileId(owner: string, pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256").update(`${owner}\n`);
  for await (const piece of pieces) hash.update(piece);
  return toFileId(hash);
}

/** Maximum described errors per meeting; the rest is only counted. */
const FAULTS_SHOWN = 20;

/** Describes all errors of a meeting, so that a file has to be corrected only once. */
function describeFaults(issues: readonly Issue[], ownerless: boolean): string {
  const faults = issues
    .flatMap((issue): Issue[] =>
      issue.code === "unrecognized_keys" ? issue.keys.map((key) => ({ ...issue, keys: [key] })) : [issue],
    )
    .map((issue) => toInputSentence([issue]));
  const [first = "", ...others] = faults.slice(0, FAULTS_SHOWN);
  const text = others.length === 0 ? first : [first, ...others].map(removeFullStop).join("; ");
  const more = faults.length > FAULTS_SHOWN ? `; and ${faults.length - FAULTS_SHOWN} more` : "";
  // Transcripts never name their owner.
  const hint = ownerless && faults.some((fault) => fault.startsWith("ownerEmail"));
  return `${text}${more}${hint ? "; use --owner to set one for all meetings" : ""}`;
}

const removeFullStop = (sentence: string): string => sentence.replace(/\.$/, "");

function applyOverrides(
  meeting: object,
  { owner, tags = [] }: ImportOptions,
  { title, startTime }: Readonly<Record<"title" | "startTime", string | undefined>>,
): unknown {
  const given = "tags" in meeting && Array.isArray(meeting.tags) ? meeting.tags : [];
  const names = new Set(given.map((tag: { name?: unknown } | null) => tag?.name));
  const added = tags.filter((name) => !names.has(name)).map((name) => ({ name }));
  return {
    ...meeting,
    ...(owner === undefined ? {} : { ownerEmail: owner }),
    ...(title === undefined ? {} : { title }),
    ...(startTime === undefined ? {} : moveStart(meeting, startTime)),
    ...(added.length === 0 ? {} : { tags: [...given, ...added] }),
  };
}

/** Moves a meeting to another start; its length stays. */
function moveStart(meeting: object, startTime: string): object {
  const [from, to] = ["startTime", "endTime"].map((name) =>
    Date.parse(String((meeting as Record<string, unknown>)[name])),
  );
  const end = new Date(Date.parse(startTime) + ((to ?? Number.NaN) - (from ?? Number.NaN)));
  return {
    startTime,
    startPrecision: undefined,
    ...(Number.isNaN(end.getTime()) ? {} : { endTime: end.toISOString() }),
  };
}

const TOO_DEEP = "The file is nested too deeply, or has too many parts: split it into smaller files.";

/** Describes where parsing failed, without the text, which may be private. @throws any other error */
function describeReadError(error: unknown): { line: number | null; error: string } {
  if (error instanceof TranscriptError) return { line: error.line, error: error.message };
  if (error instanceof UnknownFormatError) return { line: null, error: error.message };
  if (error instanceof RangeError) return { line: null, error: TOO_DEEP };
  if (!(error instanceof SyntaxError)) throw error;
  const place = /at position \d+(?: \(line (\d+) column \d+\))?/.exec(error.message);
  return {
    line: place?.[1] ? Number(place[1]) : null,
    error: `Not valid JSON${place ? ` ${place[0]}` : ""}.`,
  };
}

import { extname } from "node:path";
import { MESSAGES, MeetingImport, toInputSentence } from "@minutes/contract";
import { readJson, TranscriptError } from "@minutes/transcripts";
import type { z } from "zod";
import type { CheckedMeeting, Failure, ImportOptions, TextFile, UncheckedMeeting } from "./outcome.js";
import { readTranscriptFile, toMeeting } from "./transcript-file.js";

type Issue = z.core.$ZodIssue;

/** Parses the meetings of a file and validates each. The extension determines the format; JSON is the default. */
export function parseMeetings(file: TextFile, options: ImportOptions): (CheckedMeeting | Failure)[] {
  try {
    // Some editors and shells write a byte order mark.
    const raw = parseRaw({ ...file, text: file.text.replace(/^\uFEFF/, "") }, options);
    if (raw.length > (options.maxMeetings ?? Number.POSITIVE_INFINITY))
      return [{ file: file.name, index: null, line: null, error: MESSAGES.tooManyUploaded }];
    return raw.map((one) => ("error" in one ? one : checkMeeting(file.name, one, options)));
  } catch (error) {
    return [{ file: file.name, index: null, ...describeReadError(error) }];
  }
}

function parseRaw(file: TextFile, options: ImportOptions): (UncheckedMeeting | Failure)[] {
  const { name, text } = file;
  switch (extname(name).toLowerCase()) {
    case ".vtt":
    case ".srt":
    case ".txt":
    case ".md":
      return [readTranscriptFile(file, options)];
    case ".jsonl":
      return text
        .split("\n")
        .flatMap((content, at) => (content.trim() === "" ? [] : [parseLine(name, content, at + 1)]));
    default: {
      // A file of another format, such as PDF, is not a broken JSON file.
      if (!name.toLowerCase().endsWith(".json") && !/^\s*[[{]/.test(text))
        return [{ file: name, index: null, line: null, error: MESSAGES.uploadedFormat }];
      const content: unknown = JSON.parse(text);
      const transcript = readJson(content);
      if (transcript) return [toMeeting(file, transcript, options)];
      return Array.isArray(content)
        ? content.map((meeting, index) => ({ index, line: null, meeting }))
        : [{ index: null, line: null, meeting: content }];
    }
  }
}

/** Parses one line of JSON Lines. An invalid line is reported, and the others are parsed. */
function parseLine(file: string, content: string, line: number): UncheckedMeeting | Failure {
  try {
    return { index: null, line, meeting: JSON.parse(content) };
  } catch {
    return { file, index: null, line, error: "Not valid JSON." };
  }
}

function checkMeeting(
  file: string,
  { index, line, meeting, unassigned = [] }: UncheckedMeeting,
  { owner, tags = [] }: ImportOptions,
): CheckedMeeting | Failure {
  const checked = MeetingImport.safeParse(applyOverrides(meeting, owner, tags));
  if (checked.success) {
    return { index, line, input: checked.data, unassigned: unassigned.map(({ line: number }) => number) };
  }
  return { file, index, line, error: describeFaults(checked.error.issues, owner === undefined) };
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

function applyOverrides(meeting: unknown, owner: string | undefined, tags: readonly string[]): unknown {
  if (typeof meeting !== "object" || meeting === null) return meeting;
  const given = "tags" in meeting && Array.isArray(meeting.tags) ? meeting.tags : [];
  const names = new Set(given.map((tag: { name?: unknown } | null) => tag?.name));
  const added = tags.filter((name) => !names.has(name)).map((name) => ({ name }));
  return {
    ...meeting,
    ...(owner === undefined ? {} : { ownerEmail: owner }),
    ...(added.length === 0 ? {} : { tags: [...given, ...added] }),
  };
}

const TOO_DEEP = "The file is nested too deeply, or has too many parts: split it into smaller files.";

/** Describes where parsing failed, without the text, which may be private. @throws any other error */
function describeReadError(error: unknown): { line: number | null; error: string } {
  if (error instanceof TranscriptError) return { line: error.line, error: error.message };
  if (error instanceof RangeError) return { line: null, error: TOO_DEEP };
  if (!(error instanceof SyntaxError)) throw error;
  const place = /at position \d+(?: \(line (\d+) column \d+\))?/.exec(error.message);
  return {
    line: place?.[1] ? Number(place[1]) : null,
    error: `Not valid JSON${place ? ` ${place[0]}` : ""}.`,
  };
}

import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import { inputSentence, MeetingImport } from "@minutes/contract";
import { type ReadTurn, readPlain, readSrt, readVtt, segmentsOf, TranscriptError } from "@minutes/core";
import { failureOf } from "../cli/failure.js";

/** What the command line says about all meetings of an import. */
export interface Overrides {
  readonly owner?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** A meeting, or a whole file, that did not go in. */
export interface Failure {
  readonly file: string;
  /** Its place in a file that holds several; null where it is the file that is at fault. */
  readonly index: number | null;
  /** Counted from 1; null where the fault has no line. */
  readonly line: number | null;
  readonly error: string;
}

/** What came of one meeting; `valid`: it was only to be checked. */
export type Outcome = "created" | "unchanged" | "valid" | Failure;

export interface ReadMeeting {
  readonly index: number | null;
  readonly line: number | null;
  readonly input: MeetingImport;
}

/** A meeting as it stands in a file, not checked yet. */
interface Raw {
  readonly index: number | null;
  readonly line: number | null;
  readonly meeting: unknown;
}

/** The meetings of a file, each checked or with what is wrong with it. Reads by the name's ending; JSON otherwise. */
export async function readMeetings(file: string, overrides: Overrides): Promise<(ReadMeeting | Failure)[]> {
  try {
    const raw = await readRaw(file, overrides.owner);
    return raw.map((one) => check(file, one, overrides));
  } catch (error) {
    return [{ file, index: null, ...unreadable(error) }];
  }
}

async function readRaw(file: string, owner: string | undefined): Promise<Raw[]> {
  // Some editors and shells put a byte order mark first.
  const text = (await readFile(file, "utf8")).replace(/^\uFEFF/, "");
  switch (extname(file).toLowerCase()) {
    case ".vtt":
      return [await transcript(file, text, await readVtt(text), owner)];
    case ".srt":
      return [await transcript(file, text, await readSrt(text), owner)];
    case ".txt":
    case ".md":
      return [await transcript(file, text, readPlain(text), owner)];
    case ".jsonl":
      return text
        .split("\n")
        .flatMap((content, at) =>
          content.trim() === "" ? [] : [{ index: null, line: at + 1, meeting: parseLine(content, at + 1) }],
        );
    default: {
      const content: unknown = JSON.parse(text);
      return Array.isArray(content)
        ? content.map((meeting, index) => ({ index, line: null, meeting }))
        : [{ index: null, line: null, meeting: content }];
    }
  }
}

function parseLine(content: string, line: number): unknown {
  try {
    return JSON.parse(content);
  } catch {
    throw new TranscriptError(line, "not valid JSON.");
  }
}

/**
 * A transcript alone as a meeting: called after its file, starting at the time in the file's name or else when the
 * file was written. Its id is made of its content, so that importing it again changes nothing.
 */
async function transcript(
  file: string,
  text: string,
  turns: readonly ReadTurn[],
  owner: string | undefined,
): Promise<Raw> {
  const name = basename(file, extname(file));
  const start = startIn(name) ?? (await stat(file)).mtime;
  const last = Math.max(0, ...turns.map(({ start: from, end }) => end ?? from ?? 0));
  const startTime = start.toISOString();
  const meeting = {
    externalId: `file:${createHash("sha256").update(`${owner}\n${text}`).digest("hex").slice(0, 40)}`,
    ownerEmail: owner,
    title: name.replace(/[_-]+/g, " ").trim() || name,
    startTime,
    ...(last > 0 ? { endTime: new Date(start.getTime() + Math.ceil(last * 1000)).toISOString() } : {}),
    transcript: segmentsOf(turns),
  };
  return { index: null, line: null, meeting };
}

/** `2025-03-14 09.30`, `20250314-093000` (with Zoom's GMT before it or not): read as UTC. */
const STAMP = /(\d{4})-?(\d{2})-?(\d{2})(?:[ T_-]+(\d{2})[:.h-]?(\d{2})(?:[:.-]?(\d{2}))?)?/;

function startIn(name: string): Date | null {
  const [match, year, month, day, hour = "00", minute = "00", second = "00"] = STAMP.exec(name) ?? [];
  if (!match) return null;
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.000Z`);
  return Number.isNaN(date.getTime()) ? null : date;
}

function check(
  file: string,
  { index, line, meeting }: Raw,
  { owner, tags = [] }: Overrides,
): ReadMeeting | Failure {
  const checked = MeetingImport.safeParse(overridden(meeting, owner, tags));
  if (checked.success) return { index, line, input: checked.data };
  const sentence = inputSentence(checked.error.issues);
  // A transcript never says whose it is.
  const ownerless = owner === undefined && sentence.startsWith("ownerEmail");
  return { file, index, line, error: ownerless ? `${sentence}; --owner names one for all` : sentence };
}

function overridden(meeting: unknown, owner: string | undefined, tags: readonly string[]): unknown {
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

/** Where a file breaks off, but not what is there: that may be somebody's words. */
function unreadable(error: unknown): { line: number | null; error: string } {
  if (error instanceof TranscriptError) return { line: error.line, error: error.message };
  if (error instanceof SyntaxError) {
    const place = /at position \d+(?: \(line (\d+) column \d+\))?/.exec(error.message);
    return {
      line: place?.[1] ? Number(place[1]) : null,
      error: `not valid JSON${place ? ` ${place[0]}` : ""}.`,
    };
  }
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EISDIR") return { line: null, error: "there is no meeting in this folder." };
  return { line: null, error: code === "ENOENT" ? "no such file." : failureOf(error).message };
}

import { open } from "node:fs/promises";
import { LIMITS, MESSAGES } from "@minutes/contract";
import { isAudio } from "@minutes/transcripts/audio";
import { describeFileFault } from "../file-fault.js";
import type { Transcription } from "./import-audio.js";
import { createCheck, importMeetings, isCheck } from "./import-meetings.js";
import type {
  AssumedMeeting,
  Failure,
  ImportCheck,
  ImportOptions,
  ImportTarget,
  Outcome,
  ParsedPart,
  SourceFile,
} from "./outcome.js";
import { COMMAND_LINE_LIMITS, createDocumentParser } from "./parse-in-thread.js";
import { isExportFile, restoreFile } from "./restore-file.js";

/** Hints that end refusals. */
const HINTS = { replace: " --replace takes the new ones." };

/**
 * Imports the meetings of a file one by one and yields each result. With a check, or without `target`, they are only
 * validated, and recordings not transcribed.
 */
export async function* importFile(
  target: ImportTarget | ImportCheck | null,
  file: string,
  options: ImportOptions,
  transcription: Transcription,
): AsyncGenerator<Outcome> {
  const { owner, tags, overwrite } = options;
  if (await isExportFile(file)) {
    const refusal = owner !== undefined || tags !== undefined ? OWN_PEOPLE : overwrite ? OWN_IDS : null;
    if (refusal === null) yield* restoreFile(isCheck(target) ? null : target, file);
    else yield { file, index: null, line: null, error: refusal };
    return;
  }
  const source = await readSource(file);
  if ("error" in source) yield source;
  else if (isAudio(source)) {
    // Loaded lazily: documents are parsed in a thread, so that few processes need the parsers here.
    const { importAudio } = await import("./import-audio.js");
    yield* importAudio(target, source, options, transcription, HINTS);
  } else {
    const store = isCheck(target)
      ? createCheck(target)
      : target && ((meeting: AssumedMeeting) => target.importMeeting({ ...meeting, ...overwrite }));
    yield* importMeetings(await parseDocument(source, options), store, HINTS);
  }
}

const parseDocument = createDocumentParser(COMMAND_LINE_LIMITS);

const OWN_PEOPLE = "an export has its own people and tags: omit --owner and --tag.";
const OWN_IDS = "an export is restored into an empty database: omit --replace and --restore.";

/** Reads the meetings of a file on disk and validates each. */
export async function readMeetings(path: string, options: ImportOptions): Promise<ParsedPart[]> {
  const source = await readSource(path);
  return "error" in source ? [source] : parseDocument(source, options);
}

/** Number of bytes that show what a file is. */
const HEAD = 65_536;

/** Reads a file on disk. Audio that is too large is refused without reading it whole. */
async function readSource(path: string): Promise<SourceFile | Failure> {
  const fail = (error: string): Failure => ({ file: path, index: null, line: null, error });
  try {
    const file = await open(path);
    try {
      const { size, mtime } = await file.stat();
      const source = { name: path, modifiedAt: mtime.toISOString() };
      if (size > LIMITS.audioBytes) {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
        if (isAudio({ ...source, bytes: buffer.subarray(0, bytesRead) })) return fail(MESSAGES.audioTooLarge);
      }
      return { ...source, bytes: await file.readFile() };
    } finally {
      await file.close();
    }
  } catch (error) {
    return fail(describeUnreadable(error));
  }
}

function describeUnreadable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EISDIR") return "This folder has no meetings.";
  return code === "ENOENT"
    ? "No such file."
    : (describeFileFault(error) ?? `Unexpected fault: ${code ?? "unknown"}`);
}

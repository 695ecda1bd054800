import { readFile, stat } from "node:fs/promises";
import { describeFileFault } from "../file-fault.js";
import type { Transcription } from "./import-audio.js";
import { createCheck, importMeetings, isCheck } from "./import-meetings.js";
import { openRecording } from "./open-recording.js";
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
const HINTS = {
  replace: " --replace takes the new content; tags stay as they are.",
  restore: " --restore imports it again.",
};

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
  const { owner, tags, overwrite, share } = options;
  if (await isExportFile(file)) {
    const refusal =
      owner !== undefined || tags !== undefined || share ? OWN_PEOPLE : overwrite ? OWN_IDS : null;
    if (refusal === null) yield* restoreFile(isCheck(target) ? null : target, file);
    else yield { file, index: null, line: null, error: refusal };
    return;
  }
  const recording = await readOrFail(file, openRecording);
  if (recording && "error" in recording) return yield recording;
  if (recording) {
    try {
      // Loaded lazily: documents are parsed in a thread, so that few processes need the parsers here.
      const { importAudio } = await import("./import-audio.js");
      return yield* importAudio(target, recording, options, transcription, HINTS);
    } finally {
      await recording.close();
    }
  }
  const source = await readSource(file);
  if ("error" in source) yield source;
  else {
    const store = isCheck(target)
      ? createCheck(target, options)
      : target && ((meeting: AssumedMeeting) => target.importMeeting({ ...meeting, ...overwrite, share }));
    yield* importMeetings(await parseDocument(source, options), store, HINTS);
  }
}

const parseDocument = createDocumentParser(COMMAND_LINE_LIMITS);

const OWN_PEOPLE = "an export has its own people, tags and shares: omit --owner, --tag and --share.";
const OWN_IDS = "an export is restored into an empty database: omit --replace and --restore.";

/** Reads the meetings of a file on disk and validates each. */
export async function readMeetings(path: string, options: ImportOptions): Promise<ParsedPart[]> {
  const source = await readSource(path);
  return "error" in source ? [source] : parseDocument(source, options);
}

const readSource = (path: string): Promise<SourceFile | Failure> =>
  readOrFail(path, async () => {
    const [bytes, { mtime }] = await Promise.all([readFile(path), stat(path)]);
    return { name: path, bytes, modifiedAt: mtime.toISOString() };
  });

/** Reads a file on disk, or returns why it can't be read. */
const readOrFail = <Result>(
  path: string,
  read: (path: string) => Promise<Result>,
): Promise<Result | Failure> =>
  read(path).catch((error: unknown) => ({
    ...{ file: path, index: null, line: null },
    error: describeUnreadable(error),
  }));

function describeUnreadable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EISDIR") return "This folder has no meetings.";
  return code === "ENOENT"
    ? "No such file."
    : (describeFileFault(error) ?? `Unexpected fault: ${code ?? "unknown"}`);
}

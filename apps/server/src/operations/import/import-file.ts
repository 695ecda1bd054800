import { readFile, stat } from "node:fs/promises";
import { describeFileFault } from "../file-fault.js";
import { importMeetings } from "./import-meetings.js";
import type {
  AssumedMeeting,
  ImportOptions,
  ImportTarget,
  Outcome,
  ParsedPart,
  SourceFile,
} from "./outcome.js";
import { COMMAND_LINE_LIMITS, createDocumentParser } from "./parse-in-thread.js";
import { isExportFile, restoreFile } from "./restore-file.js";

/** Imports the meetings of a file one by one and yields each result. Without `target` they are only validated. */
export async function* importFile(
  target: ImportTarget | null,
  file: string,
  options: ImportOptions,
): AsyncGenerator<Outcome> {
  const { owner, tags, overwrite } = options;
  if (await isExportFile(file)) {
    const refusal = owner !== undefined || tags !== undefined ? OWN_PEOPLE : overwrite ? OWN_IDS : null;
    if (refusal === null) yield* restoreFile(target, file);
    else yield { file, index: null, line: null, error: refusal };
    return;
  }
  const store = target && ((meeting: AssumedMeeting) => target.importMeeting({ ...meeting, ...overwrite }));
  yield* importMeetings(await readMeetings(file, options), store, {
    replace: " --replace takes the new ones.",
  });
}

const parseDocument = createDocumentParser(COMMAND_LINE_LIMITS);

const OWN_PEOPLE = "an export has its own people and tags: omit --owner and --tag.";
const OWN_IDS = "an export is restored into an empty database: omit --replace and --restore.";

/** Reads the meetings of a file on disk and validates each. */
export async function readMeetings(path: string, options: ImportOptions): Promise<ParsedPart[]> {
  let file: SourceFile;
  try {
    const bytes = await readFile(path);
    file = { name: path, bytes, modifiedAt: (await stat(path)).mtime.toISOString() };
  } catch (error) {
    return [{ file: path, index: null, line: null, error: describeUnreadable(error) }];
  }
  return parseDocument(file, options);
}

function describeUnreadable(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === "EISDIR") return "This folder has no meetings.";
  return code === "ENOENT"
    ? "No such file."
    : (describeFileFault(error) ?? `Unexpected fault: ${code ?? "unknown"}`);
}

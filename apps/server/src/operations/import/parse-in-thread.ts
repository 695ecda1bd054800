import { askInPieces, type Piece, Thread, ThreadLimitError } from "@minutes/background";
import { MESSAGES } from "@minutes/contract";
import type { CheckedMeeting, DocumentQuestion, Failure, ImportOptions, TextFile } from "./outcome.js";

/** Timeout for parsing a document in ms. The largest upload takes about a second. */
const DEADLINE = 15_000;
/** Maximum heap of the thread, in MB. */
const MEMORY = 256;
/** Time in ms after which the thread ends: it keeps the memory of the last document. */
const IDLE = 5_000;

const thread = new Thread<DocumentQuestion | null, Piece>({
  file: new URL("./document-worker.js", import.meta.url),
  deadline: DEADLINE,
  memory: MEMORY,
  idle: IDLE,
});

/**
 * Parses and validates the meetings of an uploaded document, as `parseMeetings` does, in a worker thread, so that a
 * hostile document can't block other requests. Exceeding time or memory is a failure.
 * @see docs/decisions/0246-parsing-threads.md
 */
export async function parseInThread(
  file: TextFile,
  options: ImportOptions,
): Promise<(CheckedMeeting | Failure)[]> {
  try {
    return await thread.use((ask) => askInPieces(ask, { file, options }));
  } catch (error) {
    if (!(error instanceof ThreadLimitError)) throw error;
    return [{ file: file.name, index: null, line: null, error: MESSAGES.uploadTooComplex }];
  }
}

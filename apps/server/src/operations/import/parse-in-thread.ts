import { askInPieces, type Piece, Thread, ThreadLimitError } from "@minutes/background";
import { MESSAGES } from "@minutes/contract";
import type { CheckedMeeting, DocumentQuestion, Failure, ImportOptions, TextFile } from "./outcome.js";

/** Time in ms after which a thread ends: it keeps the memory of the last document. */
const IDLE = 5_000;

const createThread = (deadline: number, memory: number) =>
  new Thread<DocumentQuestion | null, Piece>({
    file: new URL("./document-worker.js", import.meta.url),
    deadline,
    memory,
    idle: IDLE,
  });

/** Threads by where a document comes from. */
const THREADS = {
  /** The largest upload takes about a second. */
  upload: createThread(15_000, 256),
  /** Files of the command line have no size limit, and no other request waits for them. */
  commandLine: createThread(5 * 60_000, 4_096),
};

/**
 * Parses and validates the meetings of a document, as `parseMeetings` does, in a worker thread, so that a hostile
 * document can't block other work. Exceeding time or memory is a failure.
 * @see docs/decisions/0246-parsing-threads.md
 */
export async function parseInThread(
  file: TextFile,
  options: ImportOptions,
  source: keyof typeof THREADS = "upload",
): Promise<(CheckedMeeting | Failure)[]> {
  try {
    return await THREADS[source].use((ask) => askInPieces(ask, { file, options }));
  } catch (error) {
    if (!(error instanceof ThreadLimitError)) throw error;
    return [{ file: file.name, index: null, line: null, error: MESSAGES.uploadTooComplex }];
  }
}

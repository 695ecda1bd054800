import { askInPieces, type Piece, Thread, ThreadLimitError, type ThreadOptions } from "@minutes/background";
import { MESSAGES } from "@minutes/contract";
import type { DocumentQuestion, ImportOptions, ParsedPart, SourceFile } from "./outcome.js";

/** Time in ms after which a thread ends: it keeps the memory of the last document. */
const IDLE = 5_000;

/** What parsing a document may use: time in ms, and heap in MB. */
export type ParseLimits = Pick<ThreadOptions, "deadline" | "memory">;

/** The largest upload takes about a second. */
export const UPLOAD_LIMITS: ParseLimits = { deadline: 15_000, memory: 256 };

/** Files of the command line have no size limit, and no other request waits for them. */
export const COMMAND_LINE_LIMITS: ParseLimits = { deadline: 5 * 60_000, memory: 4_096 };

export type ParseDocument = (file: SourceFile, options: ImportOptions) => Promise<ParsedPart[]>;

/**
 * Creates a function that parses and validates the meetings of a document, as `parseMeetings` does, in a worker thread
 * of its own, so that a hostile document can't block other work. Exceeding a limit is a failure.
 * @see docs/decisions/0246-parsing-threads.md
 */
export function createDocumentParser(limits: ParseLimits): ParseDocument {
  const thread = new Thread<DocumentQuestion | null, Piece>({
    file: new URL("./document-worker.js", import.meta.url),
    ...limits,
    idle: IDLE,
  });
  return async (file, options) => {
    try {
      return await thread.use((ask) => askInPieces(ask, { file, options }));
    } catch (error) {
      if (!(error instanceof ThreadLimitError)) throw error;
      return [{ file: file.name, index: null, line: null, error: MESSAGES.uploadTooComplex }];
    }
  };
}

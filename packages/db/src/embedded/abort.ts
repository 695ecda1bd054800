import type { PGlite } from "@electric-sql/pglite";

/** The engine aborted and is reopened once the disk has space. The code is PostgreSQL's "I/O error". */
export class EngineAbortedError extends Error {
  override name = "EngineAbortedError";
  readonly code = "58030";
  constructor() {
    super("The embedded database stopped and is being reopened.");
  }
}

/** The value that the engine throws to leave a failed statement; anything else is an abort. */
const STATEMENT_FAILED = 100;

/** The parts of the engine's WebAssembly module used here. */
interface EngineModule {
  _PostgresMainLoopOnce(): void;
  stackRestore(pointer: number): void;
  readonly FS: { readonly streams: readonly unknown[]; close(stream: unknown): void };
}

/**
 * Makes the calls of an aborted engine fail. After an abort, such as PostgreSQL's PANIC when the write-ahead log cannot
 * grow, PGlite 0.5.14 reruns the aborted program in an endless loop that blocks the process.
 */
export function failAfterAbort(engine: PGlite, onAbort: () => void): void {
  const module = engine.Module as unknown as EngineModule;
  const { _PostgresMainLoopOnce: runOnce, stackRestore } = module;
  let aborted = false;
  module._PostgresMainLoopOnce = () => {
    if (aborted) throw new EngineAbortedError();
    try {
      runOnce();
    } catch (error) {
      if ((error as { status?: unknown }).status !== STATEMENT_FAILED) {
        aborted = true;
        onAbort();
      }
      throw error;
    }
  };
  // PGlite calls this first whenever the function above throws. Throwing here ends the loop.
  module.stackRestore = (pointer) => {
    if (aborted) throw new EngineAbortedError();
    stackRestore(pointer);
  };
}

/** Closes the files of an aborted engine, which can't close itself. */
export function closeFiles(engine: PGlite): void {
  const { FS } = engine.Module as unknown as EngineModule;
  for (const stream of FS.streams) {
    try {
      if (stream) FS.close(stream);
    } catch {
      // Already closed.
    }
  }
}

import { statfs } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { closeFiles, EngineAbortedError, failAfterAbort } from "./abort.js";
import { DataDirError, prepareDirectory } from "./directory.js";
import { PreparedStatements, type Query } from "./prepared.js";

/** `aborted`: every call fails until `reopened`. */
export type EngineEvent = "aborted" | "reopened";

/** What the service uses of PGlite, on whichever engine is open. */
export type Engine = Pick<PGlite, "exec" | "transaction" | "dumpDataDir" | "close"> & {
  readonly query: Query;
  /** Calls back with the payload after each NOTIFY, and without one at once and after the engine was reopened. */
  listen(channel: string, onNotify: (payload?: string) => void): Promise<() => Promise<void>>;
  /** Records that a new database is complete. Until then, the next start removes it. */
  markComplete(): Promise<void>;
};

/** An engine that is open, and the statements that it has prepared. */
interface OpenEngine {
  readonly engine: PGlite;
  readonly statements: PreparedStatements;
}

export interface EngineOptions {
  readonly dataDir?: string;
  readonly from?: Blob;
  readonly onEvent?: (event: EngineEvent) => void;
}

/** Pages that the engine keeps itself: the operating system keeps those of files too. PGlite's 128 MB are resident from the start. */
const SHARED_BUFFERS = "32MB";
/** Free bytes below which an aborted engine is not reopened: recovery writes segments of 16 MB to its log. */
const ROOM_TO_REOPEN = 3 * 16 * 2 ** 20;
/** Milliseconds between attempts to reopen an aborted engine. */
const REOPEN_PAUSE = 1_000;

/**
 * Opens the engine, and opens it again whenever it has aborted. Meanwhile its calls fail with EngineAbortedError, which
 * is answered with 503.
 * @throws DataDirError when the directory holds no database that this engine can open.
 */
export async function openEngine({ dataDir, from, onEvent }: EngineOptions): Promise<Engine> {
  const directory = dataDir === undefined ? null : await prepareDirectory(dataDir);
  const listeners = new Map<(payload?: string) => void, { channel: string; unlisten: () => Promise<void> }>();
  let current: OpenEngine | null = null;
  let closed = false;

  const open = async (dump?: Blob): Promise<OpenEngine> => {
    const engine = await PGlite.create({
      ...(directory ? { dataDir: directory.path } : {}),
      ...(dump ? { loadDataDir: dump } : {}),
      extensions: { vector },
      startParams: [...PGlite.defaultStartParams, "-c", `shared_buffers=${SHARED_BUFFERS}`],
    });
    failAfterAbort(engine, () => {
      current = null;
      onEvent?.("aborted");
      void reopen(engine);
    });
    await engine.exec("SET TimeZone = 'UTC'");
    return { engine, statements: new PreparedStatements(engine) };
  };
  const reopen = async (aborted: PGlite) => {
    while (!current && !closed) {
      await sleep(REOPEN_PAUSE, undefined, { ref: false });
      closeFiles(aborted);
      if (closed || !(await hasRoom(directory?.path))) continue;
      current = await open().catch(() => null);
    }
    const reopened = current;
    if (!reopened) return;
    for (const [onNotify, listener] of listeners) {
      listener.unlisten = await reopened.engine.listen(listener.channel, onNotify);
      onNotify();
    }
    onEvent?.("reopened");
  };
  const requireEngine = (): OpenEngine => {
    if (!current) throw new EngineAbortedError();
    return current;
  };

  current = await open(from ?? (directory?.empty === false ? undefined : await loadEmptyDatabase())).catch(
    (error) => {
      if (!directory || directory.empty) throw error;
      throw new DataDirError(
        `${directory.path} can't be opened: its files are damaged, or were copied while a server ran. Restore DATA_DIR from a backup, or choose another one.`,
      );
    },
  );
  await directory?.markOpened();
  return {
    query: async (...args) => requireEngine().statements.query(...args),
    exec: async (...args) => {
      const { engine, statements } = requireEngine();
      const results = await engine.exec(...args);
      await statements.clear();
      return results;
    },
    transaction: async (work) => {
      const { engine, statements } = requireEngine();
      return engine.transaction((tx) => work(statements.withTransaction(tx)));
    },
    dumpDataDir: async (compression) => requireEngine().engine.dumpDataDir(compression),
    markComplete: async () => directory?.markComplete(),
    listen: async (channel, onNotify) => {
      const listener = { channel, unlisten: await requireEngine().engine.listen(channel, onNotify) };
      listeners.set(onNotify, listener);
      onNotify();
      return async () => {
        listeners.delete(onNotify);
        if (current) await listener.unlisten();
      };
    },
    close: async () => {
      closed = true;
      await current?.engine.close();
      if (current) await directory?.markClosed();
    },
  };
}

/** Loads an empty database that the engine's makers ship: creating one takes five times as long. */
async function loadEmptyDatabase(): Promise<Blob> {
  const { dataDir } = await import("@electric-sql/pglite-prepopulatedfs");
  return dataDir();
}

async function hasRoom(path: string | undefined): Promise<boolean> {
  if (path === undefined) return true;
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize >= ROOM_TO_REOPEN;
}

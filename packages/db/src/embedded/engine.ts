import { randomBytes } from "node:crypto";
import { rm, statfs, writeFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { vector } from "@electric-sql/pglite-pgvector";
import { ExplainedError } from "../faults.js";
import { closeFiles, EngineAbortedError, failAfterAbort } from "./abort.js";
import { prepareDirectory } from "./directory.js";
import { ScrubbedFiles } from "./scrub.js";
import { type Query, StatementRunner } from "./statement-runner.js";

/** `aborted`: every call fails until `reopened`. */
export type EngineEvent = "aborted" | "reopened";

/** The part of PGlite's interface that the service uses, forwarded to the engine that is currently open. */
export type Engine = Pick<PGlite, "transaction" | "dumpDataDir" | "close"> & {
  readonly query: Query;
  /** Runs statements without parameters, which can change the schema or session. */
  exec(statements: string): Promise<void>;
  /** Calls back with the payload of each NOTIFY, and without one immediately and after the engine is reopened. */
  listen(channel: string, onNotify: (payload?: string) => void): Promise<() => Promise<void>>;
  /** Records that a new database is complete. Until then the next start removes it. */
  markComplete(): Promise<void>;
};

/** An open engine and the runner of its statements. */
interface OpenEngine {
  readonly engine: PGlite;
  readonly statements: StatementRunner;
}

export interface EngineOptions {
  readonly dataDir?: string;
  readonly from?: Blob;
  readonly onEvent?: (event: EngineEvent) => void;
}

const SETTINGS = [
  // The operating system also caches file pages, and PGlite's default of 128 MB is resident from the start.
  "shared_buffers=32MB",
  // A recycled log file would keep erased data.
  "wal_recycle=off",
];
/** Minimum free bytes for opening an engine again: recovery writes log segments of 16 MB. */
const ROOM_TO_REOPEN = 3 * 16 * 2 ** 20;
/** Delay between attempts to reopen an aborted engine, in ms. */
const REOPEN_PAUSE = 1_000;

/**
 * Opens the engine and reopens it after every abort. In the meantime its calls fail with EngineAbortedError, which
 * becomes a 503.
 * @throws ExplainedError if the directory has no database that this engine can open
 */
export async function openEngine({ dataDir, from, onEvent }: EngineOptions): Promise<Engine> {
  const directory = dataDir === undefined ? null : await prepareDirectory(dataDir);
  const listeners = new Map<(payload?: string) => void, { channel: string; unlisten: () => Promise<void> }>();
  let current: OpenEngine | null = null;
  let closed = false;

  const open = async (dump?: Blob): Promise<OpenEngine> => {
    const engine = await createEngine(directory?.path, dump);
    failAfterAbort(engine, () => {
      current = null;
      onEvent?.("aborted");
      void reopen(engine);
    });
    await engine.exec("SET TimeZone = 'UTC'");
    return { engine, statements: new StatementRunner(engine) };
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

  const dump = from ?? (directory?.empty === false ? undefined : await loadEmptyDatabase());
  current = await open(dump).catch(async (error) => {
    throw directory ? await explainFault(error, directory) : error;
  });
  await directory?.markOpened();
  return {
    query: async (...args) => requireEngine().statements.query(...args),
    exec: async (text) => requireEngine().statements.exec(text),
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

const createEngine = (path: string | undefined, dump: Blob | undefined): Promise<PGlite> =>
  PGlite.create({
    ...(path === undefined ? {} : { fs: new ScrubbedFiles(path) }),
    ...(dump ? { loadDataDir: dump } : {}),
    extensions: { vector },
    startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ["-c", setting])],
  });

/** Explains why the database of a directory can't be opened. */
const explainFault = async (
  error: unknown,
  { path, empty }: { readonly path: string; readonly empty: boolean },
) => {
  if (error instanceof ExplainedError) return error;
  if (empty)
    return new ExplainedError(
      `A database can't be created in ${path}: its disk is full, or can't be written to.`,
      { cause: error },
    );
  // Without room for the log, which every start writes, whole files look damaged. Nobody should restore a backup for that.
  return (await canGrow(path))
    ? new ExplainedError(
        `${path} can't be opened: its files are damaged, or were copied while a server was running. Restore DATA_DIR from a backup, or choose another one.`,
      )
    : new ExplainedError(
        `${path} can't be opened: its disk is full, or can't be written to. Free 48 MB or more, then try again.`,
      );
};

/** Returns true if the engine's log can grow beside its directory. */
async function canGrow(path: string): Promise<boolean> {
  const probe = `${path}.probe`;
  try {
    await writeFile(probe, randomBytes(ROOM_TO_REOPEN)); // zeros take no room on file systems that compress
    return true;
  } catch {
    return false;
  } finally {
    await rm(probe, { force: true }).catch(() => {});
  }
}

/** Loads the empty database shipped with the engine. Creating one takes five times as long. */
async function loadEmptyDatabase(): Promise<Blob> {
  const { dataDir } = await import("@electric-sql/pglite-prepopulatedfs");
  return dataDir();
}

async function hasRoom(path: string | undefined): Promise<boolean> {
  if (path === undefined) return true;
  const { bavail, bsize } = await statfs(path);
  return bavail * bsize >= ROOM_TO_REOPEN;
}

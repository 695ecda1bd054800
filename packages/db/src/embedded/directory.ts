import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The data directory holds something that the embedded database cannot open; the message says what to do. */
export class DataDirError extends Error {
  override name = "DataDirError";
}

/** Directories and files that every database directory has. */
const PARTS = ["PG_VERSION", "base", "global", "pg_wal", "pg_xact"];

/** The directory in a data directory into which a backup is restored; it has gone when the restore is complete. */
export const RESTORING = "restoring";
/** The file that says that the database is open, or was when its process ended without closing it. */
const OPENED = "db.opened";

/** The directory of the engine's files, ready to be opened. */
export interface EngineDirectory {
  readonly path: string;
  /** True when it holds no database yet. */
  readonly empty: boolean;
  /** Records that the new database is complete: from now on its files are kept, whatever happens. */
  markComplete(): Promise<void>;
  /** Records that the files are open, so that a copy of them is recognised. */
  markOpened(): Promise<void>;
  /** Records that the files are closed: they may be copied. */
  markClosed(): Promise<void>;
}

/**
 * Prepares `<dataDir>/db`, closed to other users. Removes a database whose creation was interrupted: nothing was
 * stored in it yet.
 * @throws DataDirError when the files are not those of a database.
 */
export async function prepareDirectory(dataDir: string): Promise<EngineDirectory> {
  const path = join(dataDir, "db");
  const marker = join(dataDir, "db.incomplete");
  if (existsSync(join(dataDir, RESTORING)) && !existsSync(path)) {
    throw new DataDirError(
      `A backup was not restored completely into ${dataDir}: run \`minutes restore\` again, or remove ${join(dataDir, RESTORING)}.`,
    );
  }
  if (existsSync(marker)) await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  // The engine creates files for as long as the process runs, with whatever this lets through.
  process.umask(0o077);
  const entries = await readdir(path);
  const empty = entries.length === 0;
  if (empty) await writeFile(marker, "", { mode: 0o600 });
  const missing = PARTS.find((name) => !empty && !entries.includes(name));
  if (missing !== undefined) {
    throw new DataDirError(
      `${path} is not a whole database: ${missing} is missing. Restore DATA_DIR from a backup, or choose another one.`,
    );
  }
  const opened = join(dataDir, OPENED);
  if (!empty) await refuseTornCopy(path, opened);
  if (!empty && ((await stat(join(path, "PG_VERSION"))).mode & 0o077) !== 0) await closeToOthers(path);
  const markComplete = async () => {
    if (!empty) return;
    await closeToOthers(path);
    await rm(marker, { force: true });
  };
  const markOpened = async () => {
    const { ino } = await stat(join(path, "PG_VERSION"));
    await writeFile(opened, JSON.stringify({ inode: ino, at: Date.now() }), { mode: 0o600 });
  };
  const markClosed = () => rm(opened, { force: true });
  return { path, empty, markComplete, markOpened, markClosed };
}

/**
 * Refuses files that were copied while a process had them open: they are of different moments. A process that ended
 * without closing them left the same files behind; copies have other inodes, and were created later.
 * @throws DataDirError
 */
async function refuseTornCopy(path: string, opened: string): Promise<void> {
  const { inode, at } = await readFile(opened, "utf8")
    .then(JSON.parse)
    .catch(() => ({ inode: null, at: null }));
  if (typeof inode !== "number" || typeof at !== "number") return;
  const { ino, birthtimeMs } = await stat(join(path, "PG_VERSION"));
  if (ino === inode || birthtimeMs <= at) return;
  throw new DataDirError(
    `${path} was copied while a server had it open, so its files may not fit together. Make copies with ` +
      `\`minutes backup\`. If nothing had it open when it was copied, remove ${opened}.`,
  );
}

/** Takes the rights of other users from a directory and everything in it. */
async function closeToOthers(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
}

import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ExplainedError } from "../faults.js";

/** Directories and files that exist in every database directory. */
const PARTS = ["PG_VERSION", "base", "global", "pg_wal", "pg_xact"];

/** Subdirectory into which a backup is restored. It disappears when the restore is complete. */
export const RESTORING = "restoring";
/** File that marks the database as open. It remains if the process ends without closing the database. */
const OPENED = "db.opened";

/** The directory with the engine's files, ready to open. */
export interface EngineDirectory {
  readonly path: string;
  /** True if it has no database yet. */
  readonly empty: boolean;
  /** Records that the new database is complete. From now on its files are kept. */
  markComplete(): Promise<void>;
  /** Records that the files are open, so that a copy of them is detected. */
  markOpened(): Promise<void>;
  /** Records that the files are closed and can be copied. */
  markClosed(): Promise<void>;
}

/** Refuses a directory in which a restore was interrupted. @throws ExplainedError */
export function requireNoUnfinishedRestore(dataDir: string): void {
  const aside = join(dataDir, RESTORING);
  if (existsSync(aside))
    throw new ExplainedError(
      `A backup was not restored completely into ${dataDir}: run \`minutes restore\` again, or remove ${aside}.`,
    );
}

/**
 * Prepares `<dataDir>/db`, with access only for its owner. Removes a database whose creation was interrupted, which has
 * no data yet.
 * @throws ExplainedError if the files are not a database
 */
export async function prepareDirectory(dataDir: string): Promise<EngineDirectory> {
  const path = join(dataDir, "db");
  const marker = join(dataDir, "db.incomplete");
  if (!existsSync(path)) requireNoUnfinishedRestore(dataDir);
  if (existsSync(marker)) await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  // The engine creates files with this mask for as long as the process runs.
  process.umask(0o077);
  const entries = await readdir(path);
  const empty = entries.length === 0;
  if (empty) await writeFile(marker, "", { mode: 0o600 });
  const missing = PARTS.find((name) => !empty && !entries.includes(name));
  if (missing !== undefined) {
    throw new ExplainedError(
      `${path} is not a complete database: ${missing} is missing. Restore DATA_DIR from a backup, or choose another one.`,
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
 * Refuses files that were copied while the database was open, because their states differ. After a crash the original
 * files look the same, but copies have other inodes and later creation times.
 * @throws ExplainedError
 */
async function refuseTornCopy(path: string, opened: string): Promise<void> {
  const { inode, at } = await readFile(opened, "utf8")
    .then(JSON.parse)
    .catch(() => ({ inode: null, at: null }));
  if (typeof inode !== "number" || typeof at !== "number") return;
  const { ino, birthtimeMs } = await stat(join(path, "PG_VERSION"));
  if (ino === inode || birthtimeMs <= at) return;
  throw new ExplainedError(
    `${path} was copied while a server had it open, so its files may not fit together. Make copies with ` +
      `\`minutes backup\`. If nothing had it open when it was copied, remove ${opened}.`,
  );
}

/** Removes other users' permissions from a directory and everything in it. */
async function closeToOthers(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
}

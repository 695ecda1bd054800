import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The data directory holds something that the embedded database cannot open; the message says what to do. */
export class DataDirError extends Error {
  override name = "DataDirError";
}

/** Directories and files that every database directory has. */
const PARTS = ["PG_VERSION", "base", "global", "pg_wal", "pg_xact"];

/** The directory of the engine's files, ready to be opened. */
export interface EngineDirectory {
  readonly path: string;
  /** True when it holds no database yet. */
  readonly empty: boolean;
  /** Records that the new database is complete: from now on its files are kept, whatever happens. */
  markComplete(): Promise<void>;
}

/**
 * Prepares `<dataDir>/db`, closed to other users. Removes a database whose creation was interrupted: nothing was
 * stored in it yet.
 * @throws DataDirError when the files are not those of a database.
 */
export async function prepareDirectory(dataDir: string): Promise<EngineDirectory> {
  const path = join(dataDir, "db");
  const marker = join(dataDir, "db.incomplete");
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
  if (!empty && ((await stat(join(path, "PG_VERSION"))).mode & 0o077) !== 0) await closeToOthers(path);
  const markComplete = async () => {
    if (!empty) return;
    await closeToOthers(path);
    await rm(marker, { force: true });
  };
  return { path, empty, markComplete };
}

/** Takes the rights of other users from a directory and everything in it. */
async function closeToOthers(path: string): Promise<void> {
  for (const entry of await readdir(path, { withFileTypes: true, recursive: true })) {
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
  }
}

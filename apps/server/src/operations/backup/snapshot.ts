import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DataDirLockedError, lockDataDir } from "@minutes/db";

/** Directory of the database's files, in DATA_DIR and in a copy. */
export const DATABASE = "db";
/** A copy of the database's files in DATA_DIR, from which a backup reads its rows. */
const SNAPSHOT = /^snapshot-\d+$/;

/** Returns the directory of this process's copy. */
export const nameSnapshot = (dataDir: string): string => join(dataDir, `snapshot-${process.pid}`);

/** Creates the directory of a copy, holds its lock while `work` runs, and always removes it afterwards. */
export async function withSnapshot<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  await mkdir(directory, { mode: 0o700 });
  const lock = await lockDataDir(directory);
  try {
    return await work();
  } finally {
    await lock.release();
    await rm(directory, { recursive: true, force: true });
  }
}

/** Removes copies left by killed backups, which may contain data erased since. Skips those in use. */
export async function removeSnapshots(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    if (!SNAPSHOT.test(name)) continue;
    const directory = join(dataDir, name);
    try {
      await (await lockDataDir(directory)).release();
    } catch (error) {
      if (error instanceof DataDirLockedError) continue;
      throw error;
    }
    await rm(directory, { recursive: true, force: true });
  }
}

import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Left-over files of killed processes, such as `today.tar.gz.4711.minutes-part`. */
const PART = /\.\d+\.minutes-part$/;
/**
 * Age in ms after which a part is abandoned. Writers on other machines may share the directory, so process ids mean
 * nothing.
 */
const ABANDONED = 3_600_000;

/** Returns the temporary name of a file that this process writes. */
export const namePart = (file: string): string => `${file}.${process.pid}.minutes-part`;

/**
 * Removes parts that have not been written to for an hour.
 * @returns the removed files
 */
export async function removeAbandonedParts(directory: string): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await readdir(directory).catch(() => [])) {
    if (!PART.test(name)) continue;
    const part = join(directory, name);
    const { mtimeMs } = await stat(part).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs < ABANDONED) continue;
    await rm(part, { force: true });
    removed.push(part);
  }
  return removed;
}

import { mkdir, readdir, rm, stat, statfs } from "node:fs/promises";
import { freemem } from "node:os";
import { join } from "node:path";

/** Linux's file system in memory. */
const MEMORY = "/dev/shm";
const PREFIX = "minutes-tests-";
/** Minimum free bytes of that file system, and of memory. */
const ROOM = 4 * 2 ** 30;

/**
 * Makes `tmpdir()` a directory in memory for this process and those it starts. An embedded database has a thousand
 * files, and creating them on a disk takes most of the time of tests that open one. Does nothing where there is no such
 * file system, or too little room. @returns null then
 */
export async function useMemoryDir(): Promise<{ remove(): Promise<void> } | null> {
  const directory = await createMemoryDir().catch(() => null);
  if (!directory) return null;
  process.env.TMPDIR = directory;
  return { remove: () => rm(directory, { recursive: true, force: true }) };
}

async function createMemoryDir(): Promise<string | null> {
  const { bavail, bsize } = await statfs(MEMORY);
  if (Math.min(bavail * bsize, freemem()) < ROOM) return null;
  await removeLeftOver();
  const directory = join(MEMORY, `${PREFIX}${process.pid}`);
  // Others must reach theirs: PostgreSQL runs as another user.
  await mkdir(directory, { mode: 0o711 });
  // Before Linux 5.18 its files have no creation time, which shows that a database was copied.
  if ((await stat(directory)).birthtimeMs > 0) return directory;
  await rm(directory, { recursive: true });
  return null;
}

/** Removes directories of runs that were killed. */
async function removeLeftOver(): Promise<void> {
  for (const name of await readdir(MEMORY)) {
    if (!name.startsWith(PREFIX) || isRunning(Number(name.slice(PREFIX.length)))) continue;
    await rm(join(MEMORY, name), { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

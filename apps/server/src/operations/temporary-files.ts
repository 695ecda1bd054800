import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdir, readdir, rm, rmdir, stat, statfs } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import { DataDirLockedError, lockDataDir } from "@minutes/db/data-dir-lock";
import { ExplainedError, explainUnusable } from "@minutes/db/faults";
import { DATABASE } from "./archive/format.js";

/** A copy of the data in DATA_DIR, such as `minutes-copy-09af31`. */
const COPY = /^minutes-copy-\w{6}$/;
/** Unfinished files, such as `today.tar.gz.09af31.minutes-part`. */
const PART = /\.\w+\.minutes-part$/;
/** Age in ms after which a part is abandoned. Writers on other machines may share its directory. */
const ABANDONED = 3_600_000;

/** Bytes to leave free: a running server can't write anymore once its log can't grow by a few segments of 16 MB. */
const RESERVE = 64 * 2 ** 20;

/**
 * Creates an empty directory in DATA_DIR for a copy of the data, holds its lock while `work` runs, and removes it, even if
 * this process is killed. The system's temporary directory would be memory in some containers, and nothing would look for
 * a copy there after the machine stopped.
 */
export async function withCopy<Result>(
  dataDir: string,
  work: (directory: string) => Promise<Result>,
): Promise<Result> {
  const created = await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch(
    explainUnusable("DATA_DIR", dataDir),
  );
  const directory = join(dataDir, `minutes-copy-${createSuffix()}`);
  try {
    return await withTemporary(directory, async () => {
      await mkdir(directory, { mode: 0o700 }).catch(explainUnusable("DATA_DIR", dataDir));
      const lock = await lockDataDir(directory);
      return work(directory).finally(lock.release);
    });
  } finally {
    if (created !== undefined) await rmdir(dataDir).catch(() => {});
  }
}

/**
 * Removes copies whose process ended without removing them, with the machine for example: they may contain data erased
 * since. Every command does this first, and a server every hour. Skips copies in use.
 */
export async function removeCopies(dataDir: string): Promise<void> {
  for (const name of await list(dataDir)) {
    const directory = join(dataDir, name);
    // A copy is locked before it has a database.
    if (!COPY.test(name) || !(await list(directory)).includes(DATABASE) || (await isLocked(directory)))
      continue;
    await rm(directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Lists a directory; empty if it can't be read. */
const list = (directory: string): Promise<string[]> => readdir(directory).catch(() => []);

async function isLocked(directory: string): Promise<boolean> {
  try {
    await (await lockDataDir(directory)).release();
    return false;
  } catch (error) {
    if (error instanceof DataDirLockedError) return true;
    throw error;
  }
}

/**
 * Writes a new file under another name, which `work` gives its own once it is complete. Nothing else is left, even if this
 * process is killed.
 */
export const withPart = <Result>(file: string, work: (part: string) => Promise<Result>): Promise<Result> => {
  const part = `${file}.${createSuffix()}.minutes-part`;
  return withTemporary(part, () => work(part));
};

const createSuffix = () => randomBytes(3).toString("hex");

/**
 * Removes parts that have not been written to for an hour.
 * @returns the removed files
 */
export async function removeAbandonedParts(directory: string): Promise<string[]> {
  const removed: string[] = [];
  for (const name of await list(directory)) {
    if (!PART.test(name)) continue;
    const part = join(directory, name);
    const { mtimeMs } = await stat(part).catch(() => ({ mtimeMs: Date.now() }));
    if (Date.now() - mtimeMs < ABANDONED) continue;
    await rm(part, { recursive: true, force: true });
    removed.push(part);
  }
  return removed;
}

/** Removes its argument once its stdin ends, which is when the process that started it ends, in whatever way. */
const GUARD = `for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => {});
const remove = () => require("fs").rmSync(process.argv[1], { recursive: true, force: true, maxRetries: 5 });
process.stdin.on("end", remove).resume();`;

/**
 * Runs work that creates a file or directory, and removes it afterwards. A second process does if this one is killed: it
 * waits for its end.
 */
async function withTemporary<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
  // In a process group of its own, because Ctrl-C reaches all processes of the terminal's group.
  const guard = spawn(process.execPath, ["-e", GUARD, path], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  guard.on("error", () => {}); // no process could be started: the next command removes what is left
  guard.unref();
  const stdin = guard.stdin as Socket | null;
  stdin?.on("error", () => {});
  stdin?.unref();
  try {
    return await work();
  } finally {
    await rm(path, { recursive: true, force: true, maxRetries: 5 });
    guard.kill("SIGKILL");
  }
}

/**
 * Requires room for a number of bytes on a directory's disk, which a running server may need, too.
 * @throws ExplainedError
 */
export async function requireRoom(directory: string, bytes = 0): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  const missing = bytes + RESERVE - bavail * bsize;
  if (missing <= 0) return;
  throw new ExplainedError(
    `The disk of ${directory} has no room for a copy of the database: free up ${Math.ceil(missing / 2 ** 20)} MB and try again.`,
  );
}

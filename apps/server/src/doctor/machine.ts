import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Env } from "../env.js";
import { type Check, fail, ok, warn } from "./check.js";

const OLDEST_NODE = [20, 20] as const;

/** Checks the version of Node.js. */
export function checkNode(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const fits = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (fits) return ok("Node.js", version);
  return fail("Node.js", `${version} is too old: install ${OLDEST_NODE.join(".")} or newer.`);
}

/** Checks that the embedded database's directory exists, is writable, and is closed to other users. */
export async function checkDataDir(env: Env): Promise<Check> {
  const name = "Data directory";
  const dataDir = resolve(env.DATA_DIR);
  const found = await stat(dataDir).catch(() => null);
  if (!found) {
    const parent = await isWritable(dirname(dataDir));
    return parent
      ? ok(name, `${dataDir} will be made by the first start.`)
      : fail(name, `${dataDir} can't be made: choose a DATA_DIR that this user may write to.`);
  }
  if (!found.isDirectory()) return fail(name, `${dataDir} is not a directory: choose another DATA_DIR.`);
  if (!(await isWritable(dataDir))) return fail(name, `${dataDir} is not writable: give it to this user.`);
  if (found.mode & 0o077) return warn(name, `Other users can look into ${dataDir}: chmod 700 it.`);
  return ok(name, dataDir);
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );

const MEGABYTE = 2 ** 20;

/** Checks the free space for the embedded database, which stops when the disk is full. */
export async function checkDisk(env: Env): Promise<Check> {
  const name = "Disk";
  let path = resolve(env.DATA_DIR);
  while (!(await stat(path).catch(() => null))) path = dirname(path);
  const { bavail, bsize } = await statfs(path);
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  if (free < 100) return fail(name, `${free} MB are free: make room before you start.`);
  if (free < 1024) return warn(name, `${free} MB are free: make room soon.`);
  return ok(name, `${free} MB are free.`);
}

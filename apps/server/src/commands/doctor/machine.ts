import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Config } from "../../config/config.js";
import { type Check, fail, ok, warn } from "./check.js";

const OLDEST_NODE = [20, 20] as const;

/** Checks the version of Node.js. */
export function checkNodeVersion(version = process.versions.node): Check {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const fits = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1]);
  if (fits) return ok("Node.js", version);
  return fail("Node.js", `${version} is too old: install ${OLDEST_NODE.join(".")} or newer.`);
}

/** Checks that the embedded database's directory exists, is writable, and is inaccessible to other users. */
export async function checkDataDir(config: Config): Promise<Check> {
  const name = "Data directory";
  const dataDir = resolve(config.DATA_DIR);
  const found = await stat(dataDir).catch(() => null);
  if (!found) {
    const parent = await isWritable(dirname(dataDir));
    return parent
      ? ok(name, `${dataDir} will be created by the first start.`)
      : fail(name, `${dataDir} can't be created: choose a DATA_DIR that this user can write to.`);
  }
  if (!found.isDirectory()) return fail(name, `${dataDir} is not a directory: choose another DATA_DIR.`);
  if (!(await isWritable(dataDir)))
    return fail(name, `${dataDir} is not writable: make this user its owner.`);
  if (found.mode & 0o077) return warn(name, `other users can access ${dataDir}: run chmod 700 on it.`);
  return ok(name, dataDir);
}

const isWritable = (path: string): Promise<boolean> =>
  access(path, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );

const MEGABYTE = 2 ** 20;

/** Checks the free disk space. The embedded database stops when the disk is full. */
export async function checkDisk(config: Config): Promise<Check> {
  const name = "Disk";
  let path = resolve(config.DATA_DIR);
  while (!(await stat(path).catch(() => null))) path = dirname(path);
  const { bavail, bsize } = await statfs(path);
  const free = Math.floor((bavail * bsize) / MEGABYTE);
  if (free < 100) return fail(name, `${free} MB are free: free up space before you start.`);
  if (free < 1024) return warn(name, `${free} MB are free: free up space soon.`);
  return ok(name, `${free} MB are free.`);
}

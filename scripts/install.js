// Installs the workspace's npm packages where they are missing or older than the lockfile.
//
//   node scripts/install.js                 everything, for `pnpm build`, `test`, `verify` and `release`
//   node scripts/install.js --for server    what building and running the server needs
//   node scripts/install.js --for console   that, and what building the console and packing need
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { uptime } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
/** A link whose target is the ID of the process that installs: a link is created with its target, or not at all. */
const LOCK = `${root}node_modules/.installing`;
/** Stores the hash of the last installed lockfile, and its scope. */
const STAMP = `${root}node_modules/.installed-lockfile`;

/** Scopes from smallest to largest, with pnpm's arguments; each includes the previous ones. */
const SCOPES = new Map([
  ["server", ["--prod", "--filter", "@minutes/server..."]],
  ["console", ["--prod"]],
  ["all", []],
]);

/**
 * Runs pnpm unless the packages are already installed. Never removes packages. One process installs at a time: `start`
 * installs what the console needs while the server runs, when other commands may install, too.
 * @param {"server" | "console" | "all"} scope what the packages are needed for
 * @param {() => Promise<unknown>} [work] runs before other processes may change the packages
 */
export async function install(scope, work) {
  if (!work && findMissing(scope) === null) return;
  const isLocked = lock();
  try {
    const missing = findMissing(scope);
    if (missing !== null) runPnpm(missing);
    await work?.();
  } finally {
    if (isLocked) rmSync(LOCK, { force: true });
  }
}

/**
 * Waits until no other process installs. A lock that a killed process left behind is removed.
 * @returns false if this process can't write there: then it can't install either
 */
function lock() {
  let isLeft = false;
  let isTold = false;
  mkdirSync(`${root}node_modules`, { recursive: true });
  for (;;) {
    try {
      if (isLeft) rmSync(LOCK, { force: true });
      symlinkSync(String(process.pid), LOCK);
      return true;
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      if (code !== "EEXIST") throw error;
    }
    const owner = readOwner();
    isLeft = owner !== null && !isRunning(owner);
    if (owner === null || isLeft) continue;
    if (!isTold) console.error(`Another command (process ${owner}) is installing packages: waiting for it.`);
    isTold = true;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  }
}

/**
 * Returns the ID of the process that holds the lock; null if it was released meanwhile. 0 if nobody holds it, because it is
 * older than the last start of the machine, after which another process can have that ID.
 */
function readOwner() {
  try {
    const isOld = lstatSync(LOCK).mtimeMs < Date.now() - uptime() * 1000;
    return isOld ? 0 : Number(readlinkSync(LOCK));
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "ENOENT" ? null : 0;
  }
}

/** Returns true if another process of that ID runs. In a container that starts again, this one often has the same ID. */
function isRunning(id) {
  if (!(id > 0) || id === process.pid) return false;
  try {
    return process.kill(id, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === "EPERM";
  }
}

const hashLockfile = () =>
  createHash("sha256")
    .update(readFileSync(`${root}pnpm-lock.yaml`))
    .digest("hex");

/**
 * Returns the scope that has to be installed, which includes what was installed before; null if nothing is missing.
 * @param {string} scope
 */
function findMissing(scope) {
  const [lockfile, installed = "server"] = read(STAMP).split(" ");
  const names = [...SCOPES.keys()];
  // A manual `pnpm install` leaves no stamp.
  const before = hasDevelopmentTools() ? "all" : installed;
  const isLarger = names.indexOf(before) >= names.indexOf(scope);
  if (lockfile === hashLockfile() && isLarger) return null;
  return isLarger ? before : scope;
}

/** @param {string} scope */
function runPnpm(scope) {
  const [command, ...first] = pnpmCommand();
  const args = [...first, "install", "--frozen-lockfile", ...(SCOPES.get(scope) ?? [])];
  // A server's stdout is its log.
  execFileSync(command, args, { cwd: root, stdio: ["ignore", process.stderr, "inherit"] });
  writeFileSync(STAMP, `${hashLockfile()} ${scope}`);
}

/** Returns true if the last installation included development tools, as recorded by pnpm. */
function hasDevelopmentTools() {
  try {
    return JSON.parse(read(`${root}node_modules/.modules.yaml`)).included.devDependencies;
  } catch {
    return false;
  }
}

/** Returns a file's text, or an empty string if it does not exist. */
function read(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Returns the pnpm that runs this script, which is not always on PATH. */
function pnpmCommand() {
  const running = process.env.npm_execpath ?? "";
  return /pnpm[^/\\]*\.c?js$/.test(running) ? [process.execPath, running] : ["npx", "-y", "pnpm@10"];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({ options: { for: { type: "string", default: "all" } } });
  if (!SCOPES.has(values.for)) throw new Error(`--for must be one of ${[...SCOPES.keys()].join(", ")}.`);
  await install(values.for);
}

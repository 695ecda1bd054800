// Installs the workspace's npm packages where they are missing or older than the lockfile.
//
//   node scripts/install.js           everything, for `pnpm test` and `pnpm verify`
//   node scripts/install.js --prod    what building and running the server needs, for `pnpm start`
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Holds the hash of the lockfile that was installed last. */
const STAMP = `${root}node_modules/.installed-lockfile`;

/**
 * Runs pnpm unless the packages are already there.
 * @param {{ production: boolean }} options With `production`, tools for development are not added; they are never removed.
 */
export function install({ production }) {
  const wanted = createHash("sha256")
    .update(readFileSync(`${root}pnpm-lock.yaml`))
    .digest("hex");
  const complete = hasDevelopmentTools();
  if (read(STAMP) === wanted && (production || complete)) return;
  const args = ["install", "--frozen-lockfile", ...(production && !complete ? ["--prod"] : [])];
  const [command, ...first] = pnpmCommand();
  execFileSync(command, [...first, ...args], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  writeFileSync(STAMP, wanted);
}

/** Returns true when the last installation included development tools; pnpm keeps a record of it. */
function hasDevelopmentTools() {
  try {
    return JSON.parse(read(`${root}node_modules/.modules.yaml`)).included.devDependencies;
  } catch {
    return false;
  }
}

/** Returns a file's text, or an empty text when there is no such file. */
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
  install({ production: process.argv.includes("--prod") });
}

// Installs the workspace's npm packages where they are missing or older than the lockfile.
//
//   node scripts/install.js                 everything, for `pnpm build`, `test`, `verify` and `release`
//   node scripts/install.js --for server    what building and running the server needs
//   node scripts/install.js --for console   that, and what building the console and packing need
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
/** Stores the hash of the last installed lockfile, and its scope. */
const STAMP = `${root}node_modules/.installed-lockfile`;

/** Scopes from smallest to largest, with pnpm's arguments; each includes the previous ones. */
const SCOPES = new Map([
  ["server", ["--prod", "--filter", "@minutes/server..."]],
  ["console", ["--prod"]],
  ["all", []],
]);

/**
 * Runs pnpm unless the packages are already installed. Never removes packages.
 * @param {"server" | "console" | "all"} scope what the packages are needed for
 */
export function install(scope) {
  const wanted = createHash("sha256")
    .update(readFileSync(`${root}pnpm-lock.yaml`))
    .digest("hex");
  const [lockfile, installed = "server"] = read(STAMP).split(" ");
  const names = [...SCOPES.keys()];
  // A manual `pnpm install` leaves no stamp.
  const before = hasDevelopmentTools() ? "all" : installed;
  if (lockfile === wanted && names.indexOf(before) >= names.indexOf(scope)) return;
  const larger = names.indexOf(before) > names.indexOf(scope) ? before : scope;
  const [command, ...first] = pnpmCommand();
  const args = [...first, "install", "--frozen-lockfile", ...(SCOPES.get(larger) ?? [])];
  // A server's stdout is its log.
  execFileSync(command, args, { cwd: root, stdio: ["ignore", process.stderr, "inherit"] });
  writeFileSync(STAMP, `${wanted} ${larger}`);
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
  install(values.for);
}

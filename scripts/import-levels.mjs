// Measures how apps/server/src is layered: node scripts/import-levels.mjs
//
// Levels: files in the longest chain in which each file imports the next one. `import type` and `import()` count, the
// file of a worker thread (`new URL`) doesn't. Tests and testing/ are left out.
// Upward imports: imports of a file in a folder that comes later in ORDER.
// It ends with 1 if there is an upward import or if there are more levels than MAX_LEVELS.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The folders from the bottom up, as in .dependency-cruiser.cjs. "" has the files that compose the process. */
const ORDER = ["config", "search", "demo", "operations", "mcp", "http", "commands", ""];
const MAX_LEVELS = 9;

const root = fileURLToPath(new URL("../apps/server/src", import.meta.url));
const files = readdirSync(root, { recursive: true })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => /\.(ts|js)$/.test(file) && !/\.test\.ts$|^tests\/|(^|\/)testing\//.test(file));
const known = new Set(files);

/** Lists the files that a file imports. */
function readImports(file) {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), "utf8"), true, true);
  return importedFiles.flatMap(({ fileName }) => {
    if (!fileName.startsWith(".")) return [];
    const target = relative(root, join(root, dirname(file), fileName)).replaceAll("\\", "/");
    return [target, target.replace(/\.js$/, ".ts")].filter((name) => known.has(name)).slice(0, 1);
  });
}

const imports = new Map(files.map((file) => [file, readImports(file)]));
const chains = new Map();
/** Returns the longest chain that begins with a file. There are no cycles: `pnpm verify` refuses them. */
function findChain(file) {
  const found = chains.get(file);
  if (found) return found;
  const rest = imports.get(file).map(findChain);
  const chain = [file, ...rest.reduce((longest, one) => (one.length > longest.length ? one : longest), [])];
  chains.set(file, chain);
  return chain;
}

const getLayer = (file) => ORDER.indexOf(file.includes("/") ? file.split("/")[0] : "");
const longest = files.map(findChain).reduce((one, other) => (other.length > one.length ? other : one));
const upward = [...imports].flatMap(([from, targets]) =>
  targets.filter((to) => getLayer(to) > getLayer(from)).map((to) => `${from} -> ${to}`),
);
console.log(`${longest.length} levels: ${longest.join(" -> ")}`);
console.log(`${upward.length} upward imports${upward.map((one) => `\n  ${one}`).join("")}`);
if (longest.length > MAX_LEVELS || upward.length > 0) process.exitCode = 1;

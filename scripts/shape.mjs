/**
 * Prints the shape of the source: its size, its long functions, how core's domains depend on each other, and in how many
 * files an operation is named. `node scripts/shape.mjs [DIRECTORY]` measures another checkout, such as an older commit's.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize, relative, resolve } from "node:path";
import ts from "typescript";

const root = resolve(process.argv[2] ?? ".");
const LONG_FUNCTION = 60;
/** Operations whose sources are counted: the name in the contract, and how files of core, the server and the console name it. */
const OPERATIONS = {
  // Not `meetings.updateTask`, another operation.
  "tasks.update": /\btasks\.update\b|(?<!meetings\.)\bupdateTask\b(?!:)/,
  "people.merge": /\bpeople\.merge\b|\bmergePeople\b/,
  "webhooks.create": /\bwebhooks\.create\b|\bcreateWebhook\b/,
  "keys.create": /\bkeys\.create\b|\bcreateKey\b/,
};

const isTest = (path) =>
  /\.test\.tsx?$|\/testing\/|\/tests?\/|^acceptance\/|^packages\/testing\/|\/support\//.test(path);

function* list(folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (/^(node_modules|dist|\..*)$/.test(entry.name)) continue;
    if (entry.isDirectory()) yield* list(path);
    else if (/\.(tsx?|m?js|css)$/.test(entry.name) && !/\.d\.ts$|generated/.test(path)) yield path;
  }
}

const files = ["apps", "packages", "bench", "acceptance", "examples", "scripts"]
  .filter((folder) => statSync(join(root, folder), { throwIfNoEntry: false }))
  .flatMap((folder) => [...list(folder)])
  .map((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return { path, text, lines: text.split("\n").length - 1, test: isTest(path) };
  });
const sources = files.filter(({ test }) => !test);
const sum = (of) => of.reduce((total, { lines }) => total + lines, 0);
const median = (of) => of.map(({ lines }) => lines).sort((a, b) => a - b)[of.length >> 1] ?? 0;
const packageOf = (path) =>
  /^(apps|packages)\//.test(path) ? path.split("/", 2).join("/") : path.split("/", 1)[0];

/** Lists functions with more lines than `LONG_FUNCTION`, as `path:line lines`. */
function listLongFunctions({ path, text }) {
  if (!/\.tsx?$/.test(path)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, false);
  const long = [];
  const lineOf = (position) => source.getLineAndCharacterOfPosition(position).line;
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const first = lineOf(ts.skipTrivia(text, node.pos));
      const lines = lineOf(node.end) - first + 1;
      if (lines > LONG_FUNCTION) long.push(`${path}:${first + 1} ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return long;
}

/** Returns the domains of core with those that each imports. A loose file is a domain of its own, except the assembled routers. */
function readDomains() {
  const core = "packages/core/src";
  const domainOf = (path) => relative(core, path).split("/")[0];
  const arrows = new Map();
  for (const { path, text } of sources) {
    if (!path.startsWith(`${core}/`) || /src\/(index|routers)\.ts$/.test(path)) continue;
    const from = domainOf(path);
    const to = arrows.get(from) ?? arrows.set(from, new Set()).get(from);
    for (const [, specifier] of text.matchAll(/(?:from|import\() ?"(\.[^"]+)\.js"/g)) {
      const target = domainOf(`${normalize(join(dirname(path), specifier))}.ts`);
      if (target !== from) to.add(target);
    }
  }
  return arrows;
}

/** Returns the height of the longest chain of domains. */
function countFloors(arrows) {
  const heights = new Map();
  const height = (name) => {
    if (!heights.has(name)) {
      heights.set(name, 1);
      heights.set(name, 1 + Math.max(0, ...[...(arrows.get(name) ?? [])].map(height)));
    }
    return heights.get(name);
  };
  return Math.max(...[...arrows.keys()].map(height));
}

const packages = [...new Set(sources.map(({ path }) => packageOf(path)))].sort();
console.log(
  "| Package | Files | Lines | Median | Functions over 60 lines |\n| --- | ---: | ---: | ---: | ---: |",
);
for (const name of [...packages, "all"]) {
  const own = sources.filter(({ path }) => name === "all" || packageOf(path) === name);
  const long = own.flatMap(listLongFunctions);
  console.log(`| ${name} | ${own.length} | ${sum(own)} | ${median(own)} | ${long.length} |`);
  if (name === "all") console.log(`\nFunctions over 60 lines:\n${long.map((one) => `  ${one}`).join("\n")}`);
}
const tests = files.filter(({ test }) => test);
console.log(`\nTests and harness: ${tests.length} files, ${sum(tests)} lines`);
console.log(`Source files under 30 lines: ${sources.filter(({ lines }) => lines < 30).length}`);

const arrows = readDomains();
const count = [...arrows.values()].reduce((total, { size }) => total + size, 0);
console.log(`Core: ${arrows.size} domains, ${count} arrows, ${countFloors(arrows)} floors`);

for (const [name, pattern] of Object.entries(OPERATIONS)) {
  const naming = sources.filter(
    ({ path, text }) => !/^(bench|examples|scripts)\//.test(path) && pattern.test(text),
  );
  console.log(`${name}: ${naming.length} files\n${naming.map(({ path }) => `  ${path}`).join("\n")}`);
}

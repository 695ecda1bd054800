import { execFileSync } from "node:child_process";
import { dirname } from "node:path";
import { ModuleGraph } from "./module-graph.js";

/**
 * Selects the tests for `vitest --changed`. Vitest itself would select nearly all of them, because most tests use a harness
 * that loads the whole product. What the harness imports of the domains is therefore ignored. A test is affected if it lies
 * beside a changed file, imports it directly or through other files, or names an operation, tool, resource or command whose
 * implementation imports it. A change can break other tests, too, such as one of authentication: `.ci/run` runs them all.
 */
export const changedTests = {
  /** Returns affected tests in place of changed sources, and other changed files as they are. */
  async findChangedFiles({ root, changedSince }: { root: string; changedSince?: string | boolean }) {
    const git = (...args: string[]) =>
      execFileSync("git", args, { cwd: root, encoding: "utf8" }).split("\n").filter(Boolean);
    const changed = new Set([
      ...(typeof changedSince === "string" ? git("diff", "--name-only", `${changedSince}...HEAD`) : []),
      ...git("diff", "--name-only", "HEAD"),
      ...git("ls-files", "--others", "--exclude-standard"),
    ]);
    const others = [...changed].filter((path) => !/\.(tsx?|m?js)$/.test(path) || !path.includes("/"));
    return [...others, ...listAffectedTests(new ModuleGraph(root), changed)];
  },
};

/** Lists the tests that changes of files can affect. Paths are relative to the root. */
export function listAffectedTests(graph: ModuleGraph, changed: ReadonlySet<string>): string[] {
  const words = readWords(graph);
  return graph.files.filter((path) => /\.test\.tsx?$/.test(path) && reaches(graph, words, path, changed));
}

/** Loads the product for other tests, whatever they test. Folders of `apps/server/src/testing` are about the product itself. */
const HARNESS =
  /^packages\/testing\/src\/|^apps\/server\/src\/(testing\/[^/]+$|commands\/(operator\/|program\.ts))/;
/** Implements operations and commands: what the harness has of them doesn't count. */
const NAMED = /^packages\/core\/src\/(?!lib\/|access\/|api\/|index\.ts)|^apps\/server\/src\/commands\//;
/** Files in which words stand for operations. */
const CALLING = /\.test\.tsx?$|\/testing\/|^apps\/server\/src\/commands\/[\w-]+\.ts$/;

/** Runs commands for tests. */
const RUNNING = /^apps\/server\/src\/testing\/(installation|process|npx|webhook-installation)\.ts$/;

function reaches(graph: ModuleGraph, words: Words, test: string, changed: ReadonlySet<string>): boolean {
  if ([...changed].some((path) => dirname(path) === dirname(test))) return true;
  const own = new Set([test]);
  const set = new Set<string>();
  for (const path of own) {
    if (changed.has(path)) return true;
    const imported = [...graph.dependenciesOf(path)];
    for (const file of imported) (HARNESS.test(file) ? set : own).add(file);
    if (CALLING.test(path))
      for (const word of listWords(
        graph.read(path),
        imported.some((file) => RUNNING.test(file)),
      ))
        for (const { router, files } of words.get(word) ?? []) {
          if (changed.has(router)) return true;
          for (const file of files) own.add(file);
        }
  }
  for (const path of set) {
    if (changed.has(path)) return true;
    for (const file of graph.dependenciesOf(path)) if (!NAMED.test(file)) set.add(file);
  }
  return false;
}

/** Where what a word names is implemented. */
type Words = ReadonlyMap<string, readonly Implementation[]>;
interface Implementation {
  readonly router: string;
  readonly files: Iterable<string>;
}

const DECLARATION = /export const (\w+) = (?:query|mutation)\(\s*"([\w.]+)"([\s\S]*?)\n\}\);/g;
/** Routers whose operations are not read off their declarations, by what stands before the operation's name. */
const ROUTERS = {
  "ingest/": "packages/core/src/ingest/router.ts",
  "identity/": "packages/core/src/sign-in/router.ts",
};

function readWords(graph: ModuleGraph): Words {
  const words = new Map<string, Implementation[]>();
  const add = (word: string, router: string, files: Iterable<string> = [router]) =>
    words.set(word, [...(words.get(word) ?? []), { router, files }]);
  const sources = (pattern: RegExp) =>
    graph.files.filter((path) => pattern.test(path) && !CALLING.test(path));
  const names = new Map<string, string[]>();
  for (const path of sources(/^packages\/contract\/src\//))
    for (const [, name = "", operation = "", declared = ""] of graph.read(path).matchAll(DECLARATION)) {
      const [, tool] = /\btool: \{\s*name: "(\w+)"/.exec(declared) ?? [];
      const [, resource] = /\bat: "\w+ .*\/(\w+)[^"/]*(?:\/\{\w+\})?"/.exec(declared) ?? [];
      names.set(name, [operation, ...(tool ? [tool] : []), ...(resource ? [`/${resource}`] : [])]);
    }
  for (const path of sources(/^packages\/core\/src\/.*router\.ts$/))
    for (const [name, files] of listImplementations(graph, path))
      for (const word of names.get(name) ?? []) add(word, path, files);
  for (const [prefix, path] of Object.entries(ROUTERS)) add(prefix, path);
  for (const path of graph.files) {
    const [, command] = /^apps\/server\/src\/commands\/([\w-]+)\.ts$/.exec(path) ?? [];
    if (command) add(`${command} `, path);
  }
  return words;
}

/** Lists the declarations that a router implements, with the files that define what implements them. */
function* listImplementations(graph: ModuleGraph, path: string): Generator<[string, Iterable<string>]> {
  const text = graph.read(path);
  const helpers = [...text.matchAll(/^(?:const|(?:async )?function) (\w+)/gm)].map(([, name = ""]) => name);
  for (const [part, name = ""] of text.matchAll(/\bcontract\.(\w+)(?:(?!\bcontract\.|\n\S)[\s\S])*/g)) {
    const files = graph.dependenciesIn(path, part);
    const unclear = files.size === 0 || helpers.some((helper) => new RegExp(`\\b${helper}\\b`).test(part));
    yield [name, unclear ? [path] : files];
  }
}

/** Lists the words in a test that can name an operation, a tool, a resource or, followed by a space, a command. */
function* listWords(text: string, runsCommands: boolean): Generator<string> {
  for (const [, prefix = "", name = ""] of text.matchAll(/["`}]([a-z0-9/]*\/)?(\w+\.\w+)[?"`]/g)) {
    yield name;
    for (const router of Object.keys(ROUTERS)) if (prefix.startsWith(router)) yield router;
  }
  for (const [, name = ""] of text.matchAll(/\b(\w+\.\w+)\.(?:query|mutate)\(/g)) yield name;
  for (const [, tool = ""] of text.matchAll(/"(\w+)"/g)) yield tool;
  for (const [, path = ""] of text.matchAll(/["`/](?:me|workspace|v1)(\/[^"`?\s]+)/g))
    for (const [segment] of path.matchAll(/\/\w+(?![\w.])/g)) yield segment;
  if (runsCommands) for (const [, command = ""] of text.matchAll(/["`]([a-z-]+)[ "]/g)) yield `${command} `;
}

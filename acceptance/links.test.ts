import { existsSync } from "node:fs";
import { posix } from "node:path";
import { afterAll, expect, test } from "vitest";
import { getAnchors, readRepository } from "./support/repository-files.js";
import { toRepositoryPath } from "./support/run.js";

const files = await readRepository();
const documents = new Map(files.filter(({ path }) => path.endsWith(".md")).map((file) => [file.path, file]));
const anchors = new Map([...documents].map(([path, { text }]) => [path, getAnchors(text)]));

/** Describes a broken link to a document; undefined if it works. */
function checkTarget(target: string, anchor: string | undefined): string | undefined {
  if (!documents.has(target)) return `${target} does not exist`;
  if (anchor && !anchors.get(target)?.has(anchor)) return `${target} has no #${anchor}`;
}

let checked = 0;
afterAll(
  () => void process.stdout.write(`${checked} links in ${documents.size} documents and the code checked\n`),
);

/** Runs a check on every match of a pattern in some files, and returns its messages with file and line. */
function collect(
  pattern: RegExp,
  of: (path: string) => boolean,
  check: (match: RegExpMatchArray, path: string) => string | undefined,
): string[] {
  return files
    .filter(({ path }) => of(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(pattern)].flatMap((match) => {
        checked++;
        const problem = check(match, path);
        return problem ? [`${path}:${text.slice(0, match.index).split("\n").length}: ${problem}`] : [];
      }),
    );
}

test("every docs/….md#anchor that code or a document cites exists", () => {
  const problems = collect(
    /(?<![\w/.-])(docs\/[\w/-]+\.md)(?:#([\w-]+))?/g,
    (path) => !path.startsWith("examples/"),
    ([, target = "", anchor]) => checkTarget(target, anchor),
  );
  expect(problems).toEqual([]);
});

test("every relative link of a document leads to a file and an anchor that exist", () => {
  const problems = collect(
    /\]\((?![a-z]+:)([^)#\s]*)(?:#([^)\s]+))?\)/g,
    (path) => path.endsWith(".md"),
    ([, link = "", anchor], path) => {
      const target = link === "" ? path : posix.normalize(posix.join(posix.dirname(path), link));
      if (target.endsWith(".md")) return checkTarget(target, anchor);
      if (!existsSync(toRepositoryPath(target))) return `${target} does not exist`;
    },
  );
  expect(problems).toEqual([]);
});

test("no comment cites a page that is not in the repository", () => {
  const problems = collect(
    /\(decisions? \d|[(; ]contract: "/g,
    (path) => !path.endsWith(".md") && path !== "acceptance/links.test.ts",
    ([cited]) => cited,
  );
  expect(problems).toEqual([]);
});

// Fails where a tracked file breaks one of the rules of CONTRIBUTING.md about words:
// people are "they"; American spelling; no words of the dialect that this project once had; no function is named `xOf`; the docstring of a
// function begins with a verb in the third person; no constant is described as "Milliseconds until …" or "Most …".
// In documents, no section has two headings of the same text, every row of a table has as many cells as its head, and
// every test file that docs/ names exists.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const CODE = /\.(ts|tsx|js|mjs|cjs)$/;
const TESTS = /\.(test|soak)\.|^packages\/testing\/|\/testing\//;
const BINARY = /\.(png|jpg|ico|woff2?|gz|zip|tgz|bin)$|^pnpm-lock\.yaml$|(^|\/)migrations\//;
/** Quoted speech, lists of English words, the specification, and this list. */
const QUOTED = [
  /^apps\/server\/src\/demo\/sample\//,
  /^docs\/specification\.md$/,
  /^packages\/(transcripts\/src\/(names|testing\/render)|search\/scripts\/build-expansions)\.ts$/,
  /^scripts\/check-words\.mjs$/,
];

const LINE_RULES = [
  [/\b([Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b/u, "write they, their, or the role"],
  [/\b(anew|whence|hither|forthwith|thereof|amiss)\b/iu, "write plain technical English"],
  [
    /(?<![#\w-])(behaviour|neighbour|honour|recognis|synchronis|sanitis|serialis|normalis|misspelt|modelled)/iu,
    "use American spelling, like the API: canceled, color",
  ],
];

/** Phrases that are always wrong in a comment of the code. */
const COMMENT_RULES = [
  [
    /\/\*\* (Milliseconds (that|until|after|between|within|for|before)|(Most|Longest) \w+)\b/,
    "name it as a noun with its unit: “Timeout of … in ms”, “Maximum …”",
  ],
  [/\bso many (milli)?seconds\b/, "name the unit: “in ms”, “in seconds”"],
  [/\b(is|are) told of\b/, "write notified, subscribed or reported"],
];

/** Functions: a declaration, or a constant with an arrow function. */
const FUNCTION =
  /(?<doc>\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?[ \t]*(?<exported>export )?(?:default )?(?:async )?(?:function\*? (?<declared>\w+)|const (?<constant>\w+) =\s*(?:async )?(?:<[^=>]*>)?(?:\([^()]*\)|\w+)\s*(?::[^={]*)?=>)/g;
/** `Returns`, `Does`, `Fetches`: a capital and a final s. Nouns with that form are listed below. */
const VERB = /^[A-Z][a-z-]+s$/;
const NOUNS = new Set([
  "Meetings",
  "Rows",
  "Lines",
  "Words",
  "Tasks",
  "Keys",
  "Its",
  "This",
  "Whose",
  "Milliseconds",
]);

/** Returns the first word of a docstring; empty if it has only tags. */
function firstWord(doc) {
  const text = doc
    .replace(/^\/\*\*|\*\/\s*$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .trim();
  return text.startsWith("@") ? "" : (text.split(/[\s,:;.]/)[0] ?? "");
}

/** Lists the problems of a source's functions, each with its offset in the text. */
function* checkFunctions(text) {
  for (const match of text.matchAll(FUNCTION)) {
    const { doc, exported, declared, constant } = match.groups;
    const name = declared ?? constant;
    // React components are nouns.
    if (/^[A-Z]/.test(name)) continue;
    if (!doc) {
      if (exported) yield [match.index, `${name}: an exported function needs a docstring`];
      continue;
    }
    const word = firstWord(doc);
    if (!VERB.test(word) || NOUNS.has(word))
      yield [match.index, `${name}: begin its docstring with a verb in the third person, not "${word}"`];
  }
}

/** Counts the cells of a table row. A bar inside code or after a backslash is part of its cell. */
const countCells = (row) =>
  row
    .replace(/\\\|/g, "")
    .replace(/`[^`]*`/g, "")
    .trim()
    .replace(/^\||\|$/g, "")
    .split("|").length;

/** Lists repeated headings and malformed tables of a document, each with its line, from 0. */
function* checkMarkdown(text) {
  let fenced = false;
  /** The headings above this line, outermost first, and all earlier sections. */
  const above = [];
  const sections = new Set();
  /** Number of cells in the table's head; 0 outside a table. */
  let cells = 0;
  for (const [index, line] of text.split("\n").entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced;
    if (fenced) continue;
    const [, marks, title] = /^(#{1,6}) +(.+?)\s*$/.exec(line) ?? [];
    if (marks) {
      above.length = Math.min(above.length, marks.length - 1);
      above[marks.length - 1] = title;
      const section = `${marks} ${above.join("\n")}`;
      if (sections.has(section)) yield [index, `this section has two headings "${title}"`];
      sections.add(section);
    }
    if (!/^\s*\|/.test(line)) cells = 0;
    else if (cells === 0) cells = countCells(line);
    else if (countCells(line) !== cells)
      yield [index, `the row has ${countCells(line)} cells, and its table's head has ${cells}`];
  }
}

/** Names of test files in a line of a document: `sweep.test.ts`, also with folders. Patterns with `*` are no names. */
const TEST_NAME = /`((?:[\w-]+\/)*[\w.-]+\.test\.tsx?)`/g;

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file && !BINARY.test(file) && existsSync(file));

const isTracked = (name) => files.some((file) => file === name || file.endsWith(`/${name}`));

let found = 0;
const report = (file, line, problem) => {
  found += 1;
  console.error(`${file}:${line}: ${problem}`);
};
for (const file of files) {
  const text = readFileSync(file, "utf8");
  if (!QUOTED.some((path) => path.test(file)))
    text.split("\n").forEach((line, index) => {
      for (const [pattern, advice] of LINE_RULES)
        if (pattern.test(line)) report(file, index + 1, `${advice}: ${line.trim().slice(0, 120)}`);
    });
  if (CODE.test(file) && !/^scripts\/check-words/.test(file))
    text.split("\n").forEach((line, index) => {
      for (const [pattern, advice] of COMMENT_RULES)
        if (pattern.test(line)) report(file, index + 1, `${advice}: ${line.trim().slice(0, 120)}`);
    });
  if (file.endsWith(".md"))
    for (const [index, problem] of checkMarkdown(text)) report(file, index + 1, problem);
  if (/^docs\/.*\.md$/.test(file))
    text.split("\n").forEach((line, index) => {
      for (const [, name] of line.matchAll(TEST_NAME))
        if (!isTracked(name)) report(file, index + 1, `no test file is named ${name}`);
    });
  if (CODE.test(file) && !TESTS.test(file))
    for (const [offset, problem] of checkFunctions(text))
      report(file, text.slice(0, offset).split("\n").length, problem);
}
if (found > 0) {
  console.error(`\n${found} places break the rules of "How we write" in CONTRIBUTING.md.`);
  process.exit(1);
}

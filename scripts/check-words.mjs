// Fails where a tracked file breaks one of the rules of CONTRIBUTING.md about words:
// people are "they"; no words of the dialect that this project once had; no function is named `xOf`; the docstring of a
// function begins with a verb in the third person.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const CODE = /\.(ts|tsx|js|mjs|cjs)$/;
const TESTS = /\.(test|soak)\.|^packages\/testing\/|\/testing\//;
const BINARY = /\.(png|jpg|ico|woff2?|gz|zip|tgz|bin)$|^pnpm-lock\.yaml$|(^|\/)migrations\//;
/** Quoted speech, lists of English words, the specification, and this list. */
const QUOTED = [
  /^apps\/server\/src\/demo\/sample\//,
  /^docs\/specification\.md$/,
  /^packages\/(transcripts\/src\/names|search\/scripts\/build-expansions)\.ts$/,
  /^scripts\/check-words\.mjs$/,
];

const LINE_RULES = [
  [/\b([Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b/u, "write they, their, or the role"],
  [/\b(anew|whence|hither|forthwith|thereof|amiss)\b/iu, "write plain technical English"],
];

/** Functions: a declaration, or a constant that is an arrow function. */
const FUNCTION =
  /(?<doc>\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)?[ \t]*(?<exported>export )?(?:default )?(?:async )?(?:function\*? (?<declared>\w+)|const (?<constant>\w+) =\s*(?:async )?(?:<[^=>]*>)?(?:\([^()]*\)|\w+)\s*(?::[^={]*)?=>)/g;
/** `Returns`, `Does`, `Fetches`: a capital, and an s at the end. Words with that form that are no verbs don't count. */
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

/** Returns the first word of a docstring's text; empty for a docstring that has only tags. */
function firstWord(doc) {
  const text = doc
    .replace(/^\/\*\*|\*\/\s*$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .trim();
  return text.startsWith("@") ? "" : (text.split(/[\s,:;.]/)[0] ?? "");
}

/** Lists what a source's functions do wrong, each with the offset in the text. */
function* checkFunctions(text, needsDocs) {
  for (const match of text.matchAll(FUNCTION)) {
    const { doc, exported, declared, constant } = match.groups;
    const name = declared ?? constant;
    // A component of React is a noun.
    if (/^[A-Z]/.test(name)) continue;
    if (/[a-z]Of$/.test(name)) yield [match.index, `${name}: name it with a verb, such as get or to`];
    if (!doc) {
      if (exported && needsDocs) yield [match.index, `${name}: an exported function needs a docstring`];
      continue;
    }
    const word = firstWord(doc);
    if (!VERB.test(word) || NOUNS.has(word))
      yield [match.index, `${name}: begin its docstring with a verb in the third person, not "${word}"`];
  }
}

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file && !BINARY.test(file) && existsSync(file));

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
  if (CODE.test(file) && !TESTS.test(file))
    for (const [offset, problem] of checkFunctions(text, !file.startsWith("apps/console/")))
      report(file, text.slice(0, offset).split("\n").length, problem);
}
if (found > 0) {
  console.error(`\n${found} places break the rules of "How we write" in CONTRIBUTING.md.`);
  process.exit(1);
}

// Fails where a tracked file calls a person "he" or "his": people are "they". The sample meetings are quoted speech, two files have lists of English words,
// and the specification is not ours to reword.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const EXCEPT = [
  /^apps\/server\/src\/demo\/sample\//,
  /^docs\/specification\.md$/,
  /^packages\/(transcripts\/src\/names|search\/scripts\/build-expansions)\.ts$/,
  /^scripts\/check-words\.mjs$/,
];
const PRONOUN = /\b([Hh]e|[Hh]is|[Hh]im|[Hh]imself)\b/u;
const BINARY = /\.(png|jpg|ico|woff2?|gz|zip|tgz|bin)$|^pnpm-lock\.yaml$|(^|\/)migrations\//;

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\0")
  .filter(
    (file) => file && !BINARY.test(file) && !EXCEPT.some((path) => path.test(file)) && existsSync(file),
  );

let found = 0;
for (const file of files) {
  readFileSync(file, "utf8")
    .split("\n")
    .forEach((line, index) => {
      if (!PRONOUN.test(line)) return;
      found += 1;
      console.error(`${file}:${index + 1}: ${line.trim().slice(0, 160)}`);
    });
}
if (found > 0) {
  console.error(`\n${found} lines call a person he, his or him: write they, their, or the role.`);
  process.exit(1);
}

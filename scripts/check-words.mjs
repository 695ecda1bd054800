// Fails where a tracked file has a British spelling (the API is American: canceled, color), or names a registry: that of
// one machine isn't there for others, and the usual one needs no name.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

const SPELLING =
  /(?<![#\w-])(behaviour|neighbour|honour|recognis|synchronis|sanitis|serialis|normalis|misspelt|modelled)/iu;
const REGISTRY = /\b(registry|resolved|tarball)["']?\s*[:=]\s*["']?https?:\/\//u;
const BINARY = /\.(png|jpg|ico|woff2?|gz|zip|tgz|bin)$|(^|\/)migrations\//;
/** Quoted speech, lists of English words, the specification, and the rules themselves. */
const QUOTED = [
  /^apps\/server\/src\/demo\/sample\//,
  /^docs\/specification\.md$/,
  /^packages\/(transcripts\/src\/names|search\/scripts\/build-expansions)\.ts$/,
  /^scripts\/check-words\.mjs$|^acceptance\/scripts\.tools\.test\.ts$/,
];

const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
  encoding: "utf8",
})
  .split("\0")
  .filter((file) => file && !BINARY.test(file) && existsSync(file));

for (const file of files) {
  if (QUOTED.some((path) => path.test(file))) continue;
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    const report = (advice) => {
      console.error(`${file}:${index + 1}: ${advice}: ${line.trim().slice(0, 120)}`);
      process.exitCode = 1;
    };
    if (SPELLING.test(line)) report("use American spelling");
    if (REGISTRY.test(line)) report("name no registry");
  }
}

// Writes the list of docs/decisions/README.md from the records in that folder; with --check it only compares.
// Fails if a record has no title, status or date, or if a number is used twice.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../docs/decisions/", import.meta.url);
const index = new URL("README.md", folder);
const problems = [];
/** Numbers of records that were replaced. */
const replaced = new Set();

/** Returns the index row of a record, and collects the numbers it replaces. */
function readRecord(file) {
  const head = readFileSync(new URL(file, folder), "utf8").split("\n").slice(0, 12).join("\n");
  const title = /^# \d{4}\s*[:·–-]?\s*(.+)$/m.exec(head)?.[1];
  const [, status, date] =
    /^- (Proposed|Accepted|Superseded by \d{4}): (\d{4}-\d{2}-\d{2})\b/m.exec(head) ?? [];
  for (const [name, value] of Object.entries({ title, status, date })) {
    if (!value) problems.push(`docs/decisions/${file} has no ${name}.`);
  }
  const old = /^- Replaces: (.+)$/m.exec(head)?.[1];
  for (const number of old?.split(", ") ?? []) {
    if (replaced.has(number) || numbers.includes(number))
      problems.push(`Two records have the number ${number}.`);
    replaced.add(number);
  }
  return `- [${file.slice(0, 4)}](${file}) ${title}${status === "Accepted" ? "" : ` (${status})`}${old ? ` · ${old}` : ""}`;
}

const records = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name));
const numbers = records.map((name) => name.slice(0, 4));
for (const number of new Set(numbers.filter((one, at) => numbers.indexOf(one) !== at))) {
  problems.push(`Two records have the number ${number}.`);
}
const list = records.sort().map(readRecord).join("\n");
const before = readFileSync(index, "utf8");
const after = before.replace(/(?<=<!-- index -->\n)[\s\S]*?(?=<!-- \/index -->)/, `${list}\n`);
if (process.argv.includes("--check")) {
  if (after !== before)
    problems.push("docs/decisions/README.md is not up to date: node scripts/index-decisions.mjs");
} else writeFileSync(index, after);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

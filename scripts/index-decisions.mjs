// Writes the lists of docs/decisions/README.md from the records in that folder; with --check it only compares.
// Fails if a record has no title, status or date, or if a number is used twice.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../docs/decisions/", import.meta.url);
const index = new URL("README.md", folder);
const problems = [];
/** Replaced decision numbers and the records that replace them. */
const replaced = new Map();

/** Returns the index row of a record, and collects the numbers it replaces. */
function readRecord(file) {
  const head = readFileSync(new URL(file, folder), "utf8").split("\n").slice(0, 12).join("\n");
  const title = /^# \d{4}\s*[:·–-]?\s*(.+)$/m.exec(head)?.[1];
  const status = /^(?:- )?\**Status\**:\**\s*([a-z]+(?: by \d{4})?)/im.exec(head)?.[1]?.toLowerCase();
  const date = /\b\d{4}-\d{2}-\d{2}\b/.exec(head)?.[0];
  for (const [name, value] of Object.entries({ title, status, date })) {
    if (!value) problems.push(`docs/decisions/${file} has no ${name}.`);
  }
  for (const number of /^- Replaces: (.+)$/m.exec(head)?.[1]?.split(", ") ?? []) {
    if (replaced.has(number) || numbers.includes(number))
      problems.push(`Two records have the number ${number}.`);
    replaced.set(number, file);
  }
  return `- [${file.slice(0, 4)}](${file}) ${title}${status === "accepted" ? "" : ` (${status})`}`;
}

const records = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name));
const numbers = records.map((name) => name.slice(0, 4));
for (const number of new Set(numbers.filter((one, at) => numbers.indexOf(one) !== at))) {
  problems.push(`Two records have the number ${number}.`);
}
const rows = records.sort().map(readRecord);
const tables = {
  index: rows,
  replaced: [...new Set(replaced.values())].map((file) => {
    const old = [...replaced].filter(([, by]) => by === file).map(([number]) => number);
    return `- ${old.join(", ")} → [${file.slice(0, 4)}](${file})`;
  }),
};
const before = readFileSync(index, "utf8");
let after = before;
for (const [name, lines] of Object.entries(tables)) {
  const place = new RegExp(`(?<=<!-- ${name} -->\\n)[\\s\\S]*?(?=<!-- /${name} -->)`);
  after = after.replace(place, `${lines.join("\n")}\n`);
}
if (process.argv.includes("--check")) {
  if (after !== before)
    problems.push("docs/decisions/README.md is not up to date: node scripts/index-decisions.mjs");
} else writeFileSync(index, after);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

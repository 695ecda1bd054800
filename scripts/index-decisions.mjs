// Writes the table of docs/decisions/README.md from the records beside it; with --check it only compares.
// Fails where a record has no title, status or date.
import { readdirSync, readFileSync, writeFileSync } from "node:fs";

const folder = new URL("../docs/decisions/", import.meta.url);
const index = new URL("README.md", folder);
const problems = [];

/** Reads number, title, status and date of a record. */
function readRecord(file) {
  const head = readFileSync(new URL(file, folder), "utf8").split("\n").slice(0, 12).join("\n");
  const title = /^# \d{4}\s*[:·–-]?\s*(.+)$/m.exec(head)?.[1];
  const status = /^(?:- )?\**Status\**:\**\s*([a-z]+(?: by \d{4})?)/im.exec(head)?.[1]?.toLowerCase();
  const date = /\b\d{4}-\d{2}-\d{2}\b/.exec(head)?.[0];
  for (const [name, value] of Object.entries({ title, status, date })) {
    if (!value) problems.push(`docs/decisions/${file} has no ${name}.`);
  }
  return `| [${file.slice(0, 4)}](${file}) | ${title} | ${status} | ${date} |`;
}

const records = readdirSync(folder).filter((name) => /^\d{4}-.+\.md$/.test(name));
const numbers = records.map((name) => name.slice(0, 4));
for (const number of new Set(numbers.filter((one, at) => numbers.indexOf(one) !== at))) {
  problems.push(`Two records have the number ${number}.`);
}
const rows = records.sort().map(readRecord);
const table = ["| Number | Title | Status | Date |", "| ------ | ----- | ------ | ---- |", ...rows].join(
  "\n",
);
const before = readFileSync(index, "utf8");
const after = before.replace(/(?<=<!-- index -->\n)[\s\S]*(?=\n<!-- \/index -->)/, table);
if (process.argv.includes("--check")) {
  if (after !== before)
    problems.push("docs/decisions/README.md is not up to date: node scripts/index-decisions.mjs");
} else writeFileSync(index, after);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;

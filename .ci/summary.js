// Reads vitest's JSON reports: `node .ci/summary.js REPORT…` prints how many tests passed and failed, and on stderr which.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const files = process.argv.slice(2).flatMap((path) => JSON.parse(readFileSync(path, "utf8")).testResults);
const count = (status) =>
  files.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;
// A file that fails with none of its tests failing (it could not be loaded, or a hook threw) counts as one.
const broken = files.filter(
  (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
);
for (const { name, message, assertionResults } of files.filter(({ status }) => status === "failed")) {
  console.error(
    `FAILED ${relative("", name)}${broken.some((file) => file.name === name) ? `: ${message}` : ""}`,
  );
  for (const { status, fullName } of assertionResults)
    if (status === "failed") console.error(`  ${fullName}`);
}
console.log(count("passed"), count("failed") + broken.length);

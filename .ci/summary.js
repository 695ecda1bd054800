// Reads vitest's JSON reports.
//
//   node .ci/summary.js counts REPORT…            prints `passed failed`
//   node .ci/summary.js skips REPORT              prints `<requirement> <file>` for every skip, sorted
//   node .ci/summary.js rerun REPORT              prints the files with skips that are not only PostgreSQL's
//
// A skip without a requirement prints `unexplained`. What only the other engine's project runs is no skip.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const [command, ...reports] = process.argv.slice(2);
const files = reports.flatMap((report) => JSON.parse(readFileSync(report, "utf8")).testResults);

/** Finds a file's path in the repository: the report may be that of a clone. */
const getPath = ({ name }) =>
  /(?:^|\/)((?:packages|apps|acceptance|bench)\/.*)$/.exec(name)?.[1] ?? relative(".", name);

const skips = files.flatMap((file) =>
  file.assertionResults
    .filter(({ status, meta }) => !["passed", "failed"].includes(status) && meta?.missing?.length !== 0)
    .flatMap(({ meta }) => (meta?.missing ?? ["unexplained"]).map((need) => ({ need, file: getPath(file) }))),
);
const unique = (lines) => [...new Set(lines)].sort();

if (command === "counts") {
  const count = (status) =>
    files.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;
  // A file that fails with none of its tests failing (it could not be loaded, or a hook threw) counts as one.
  const broken = files.filter(
    (file) => file.status === "failed" && file.assertionResults.every((test) => test.status !== "failed"),
  );
  console.log(count("passed"), count("failed") + broken.length);
} else if (command === "skips")
  for (const line of unique(skips.map(({ need, file }) => `${need} ${file}`))) console.log(line);
else if (command === "rerun")
  for (const file of unique(skips.filter(({ need }) => need !== "postgres").map(({ file }) => file)))
    console.log(file);
else throw new Error("counts, skips or rerun");

// Reads vitest's JSON reports.
//
//   node .ci/summary.js counts REPORT…            prints `passed failed`
//   node .ci/summary.js skips REPORT              prints `<requirement> <file>` for every skip, sorted
//   node .ci/summary.js rerun REPORT              prints a pattern of the names of tests that were skipped for another
//                                                 reason than PostgreSQL, and then their files, a line each
//   node .ci/summary.js missed REPORT RERUN       prints those tests that did not run the second time either
//
// A skip without a requirement prints `unexplained`. What only the other engine's project runs is no skip.
import { readFileSync } from "node:fs";
import { relative } from "node:path";

const [command, ...reports] = process.argv.slice(2);
const readReport = (report) => JSON.parse(readFileSync(report, "utf8")).testResults;
const files = reports.flatMap(readReport);

/** Finds a file's path in the repository: the report may be that of a clone. */
const getPath = ({ name }) =>
  /(?:^|\/)((?:packages|apps|acceptance|bench)\/.*)$/.exec(name)?.[1] ?? relative(".", name);

const hasRun = ({ status }) => ["passed", "failed"].includes(status);

/** Lists what reports skipped, an entry for each requirement of each test. */
const listSkips = (results) =>
  results.flatMap((file) =>
    file.assertionResults
      .filter((test) => !hasRun(test) && test.meta?.missing?.length !== 0)
      .flatMap(({ meta, fullName }) => {
        const needs = meta?.missing ?? ["unexplained"];
        return needs.map((need) => ({ need, needs, file: getPath(file), fullName }));
      }),
  );
const skips = listSkips(files);
const isRerun = ({ needs }) => !needs.includes("postgres");
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
else if (command === "rerun") {
  const rerun = skips.filter(isRerun);
  const names = unique(rerun.map(({ fullName }) => fullName.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")));
  console.log(names.length === 0 ? "" : `^(${names.join("|")})$`);
  for (const file of unique(rerun.map(({ file }) => file))) console.log(file);
} else if (command === "missed") {
  const [first, second] = reports.map(readReport);
  const run = new Set(
    second.flatMap((file) =>
      file.assertionResults.filter(hasRun).map(({ fullName }) => `${getPath(file)}: ${fullName}`),
    ),
  );
  const wanted = listSkips(first)
    .filter(isRerun)
    .map(({ file, fullName }) => `${file}: ${fullName}`);
  for (const line of unique(wanted.filter((name) => !run.has(name)))) console.log(line);
} else throw new Error("counts, skips, rerun or missed");

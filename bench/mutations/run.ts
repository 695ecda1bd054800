import { execFile, execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { MUTATIONS, type Mutation } from "./mutations.js";

const HELP = `Plants faults in a copy of a commit, one at a time, and prints which test notices each.

  pnpm bench:mutations [options]

  --commit <ref>    commit to copy; HEAD by default
  --only <text>     only faults whose domain, description or file contains a text
  --likely          run only the tests that are likely to notice a fault
  --out <file>      continue the table in a file, which has a line of JSON per fault

The likely tests run first, then all others, both on one worker and only until the first failure.
`;

const { values: options } = parseArgs({
  options: {
    commit: { type: "string", default: "HEAD" },
    only: { type: "string", default: "" },
    likely: { type: "boolean", default: false },
    out: { type: "string" },
    help: { type: "boolean" },
  },
});
if (options.help) {
  process.stdout.write(HELP);
  process.exit();
}

/** What happened to a fault. */
interface Outcome {
  readonly fault: string;
  readonly domain: string;
  /** The test that noticed it, `<file>: <title>`; null if none did. */
  readonly caughtBy: string | null;
  readonly seconds: number;
}

const root = fileURLToPath(new URL("../..", import.meta.url));
const chosen = MUTATIONS.filter(({ domain, fault, file }) =>
  [domain, fault, file].some((text) => text.includes(options.only)),
);
const known = new Map<string, Outcome>();
if (options.out && existsSync(options.out))
  for (const line of readFileSync(options.out, "utf8").split("\n").filter(Boolean)) {
    const outcome = JSON.parse(line) as Outcome;
    known.set(outcome.fault, outcome);
  }

const copy = mkdtempSync(join(tmpdir(), "minutes-mutations-"));
try {
  execFileSync("git", ["clone", "-q", "--no-checkout", root, copy]);
  const commit = execFileSync("git", ["-C", root, "rev-parse", options.commit], { encoding: "utf8" }).trim();
  execFileSync("git", ["-C", copy, "checkout", "-q", commit]);
  requireTexts();
  execFileSync("npx", ["-y", "pnpm@10", "install", "--frozen-lockfile", "--prefer-offline"], {
    ...{ cwd: copy, stdio: ["ignore", "ignore", "inherit"] },
  });
  for (const mutation of chosen) {
    if (known.has(mutation.fault)) continue;
    const outcome = await tryMutation(mutation);
    known.set(mutation.fault, outcome);
    process.stderr.write(`${outcome.seconds} s  ${outcome.fault}: ${outcome.caughtBy ?? "NOT CAUGHT"}\n`);
    if (options.out) writeFileSync(options.out, `${JSON.stringify(outcome)}\n`, { flag: "a" });
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
printTable();

/** Requires that each text occurs once in its file. @throws Error that lists those that don't */
function requireTexts(): void {
  const lost = chosen.filter(({ file, find }) => {
    const path = join(copy, file);
    return !existsSync(path) || readFileSync(path, "utf8").split(find).length !== 2;
  });
  if (lost.length === 0) return;
  const lines = lost.map(({ file, fault, find }) => `  ${file}: ${fault}\n    ${find}`);
  throw new Error(
    `These texts are not in their files exactly once. Update bench/mutations/mutations.ts.\n${lines.join("\n")}`,
  );
}

async function tryMutation({ domain, fault, file, find, replace, tests }: Mutation): Promise<Outcome> {
  const path = join(copy, file);
  const source = readFileSync(path, "utf8");
  const began = performance.now();
  writeFileSync(
    path,
    source.replace(find, () => replace),
  );
  try {
    const caughtBy =
      (await findFailure(tests)) ??
      (options.likely ? null : await findFailure([], tests)) ??
      (await findFailure(tests, [], "vitest.process.config.ts"));
    return { fault, domain, caughtBy, seconds: Math.round((performance.now() - began) / 1_000) };
  } finally {
    writeFileSync(path, source);
  }
}

/** Runs tests until the first failure. @returns its file and title; null if all pass */
async function findFailure(
  filters: readonly string[],
  without: readonly string[] = [],
  config = "vitest.config.ts",
): Promise<string | null> {
  const report = join(copy, "mutation.json");
  rmSync(report, { force: true });
  const args = [
    ...["node_modules/vitest/vitest.mjs", "run", "--project=embedded", "--maxWorkers=1", "--bail=1"],
    ...[`--config=${config}`, "--passWithNoTests", "--reporter=json", `--outputFile=${report}`, ...filters],
    ...without.map((path) => `--exclude=${path}${path.endsWith(".ts") ? "" : "**"}`),
  ];
  const { TEST_DATABASE_URL: _, TEST_CITUS_URL: __, ...env } = process.env;
  const failed = await new Promise<boolean>((resolve) => {
    execFile(process.execPath, args, { cwd: copy, env, maxBuffer: 2 ** 28 }, (error) =>
      resolve(error !== null),
    );
  });
  if (!failed) return null;
  if (!existsSync(report)) return "no report";
  const { testResults } = JSON.parse(readFileSync(report, "utf8")) as {
    testResults: { name: string; status: string; assertionResults: { status: string; fullName: string }[] }[];
  };
  for (const { name, status, assertionResults } of testResults) {
    const test = assertionResults.find((one) => one.status === "failed");
    if (test || status === "failed")
      return `${name.slice(copy.length + 1)}: ${test?.fullName ?? "could not be loaded"}`;
  }
  return "an error outside of tests";
}

function printTable(): void {
  const outcomes = chosen.flatMap(({ fault }) => known.get(fault) ?? []);
  const caught = outcomes.filter(({ caughtBy }) => caughtBy !== null).length;
  const cell = (text: string) => text.replaceAll("|", "\\|");
  process.stdout.write(`${caught} of ${outcomes.length} faults were caught.\n\n`);
  process.stdout.write("| domain | fault | caught by |\n| --- | --- | --- |\n");
  for (const { domain, fault, caughtBy } of outcomes)
    process.stdout.write(
      `| ${domain} | ${cell(fault)} | ${caughtBy === null ? "**nothing**" : cell(caughtBy)} |\n`,
    );
}

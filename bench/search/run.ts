import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import type { EmbeddingModel } from "@minutes/search";
import { RANKING } from "../../packages/search/src/ranking.js";
import { formatPercentiles } from "../requests/load.js";
import { askAllQueries, writeRuns } from "./ask.js";
import { getEvaluatorPath, readMeetings, readSplit } from "./dataset.js";

/**
 * Imports a split of the benchmark through the service's own import, asks every query through the public API, and
 * prints the evaluator's table for each set of queries (the split's own, and the same in other words), the time that
 * the calls took, and how many queries have no results.
 */
const USAGE = `[DATABASE_URL=postgres://…] [BENCH_CITUS_URL=postgres://…] pnpm bench:search [options]
  --data val               a split of the search benchmark (default val)
  --with train             adds another split's meetings
  --engine postgres        one engine; also "embedded", or "citus" for the cluster of BENCH_CITUS_URL
  --mode words             one mode; also "builtin", "endpoint" and "local"
  --queries <file>         one set of queries
  --out <directory>        keeps the answers
  --compare <directory>    the evaluator's paired test against an earlier --out
  --cache <file>           keeps the vectors of chunks between runs
  --set similarity.weight=0.85    measures with another number of RANKING`;
const { values: options } = parseArgs({
  options: {
    data: { type: "string" },
    with: { type: "string" },
    engine: { type: "string", multiple: true },
    mode: { type: "string", multiple: true },
    out: { type: "string" },
    compare: { type: "string" },
    queries: { type: "string", multiple: true },
    cache: { type: "string" },
    set: { type: "string", multiple: true, default: [] },
    help: { type: "boolean", default: false },
  },
});
if (options.help) {
  console.log(USAGE);
  process.exit();
}
setRanking(options.set);
// Imported after the ranking is set, because the statement is built when it is loaded.
const { MODES, startService } = await import("./service.js");
const { withVectorCache } = await import("./vector-cache.js");
const { findSearchBenchmark } = await import("@minutes/testing");
type Service = Awaited<ReturnType<typeof startService>>;
const benchmark = findSearchBenchmark();
const data = options.data ? resolve(options.data) : benchmark && join(benchmark, "val");
if (!data) throw new Error("--data names the directory of a split, such as ../shared/searchbench/val");
const querySets =
  options.queries ?? ["queries.jsonl", "queries.para.jsonl"].filter((file) => existsSync(join(data, file)));
const split = readSplit(data);
const others = options.with ? readMeetings(resolve(options.with)) : [];
const { DATABASE_URL: url, BENCH_CITUS_URL: coordinatorUrl } = process.env;
const engines = options.engine ?? (url ? ["embedded", "postgres"] : ["embedded"]);

const modes = (options.mode ?? ["words", "builtin"]).map((name) => {
  const mode = MODES.find((known) => known === name);
  if (!mode) throw new Error(`--mode is one of ${MODES.join(", ")}`);
  return mode;
});

const { cache } = options;
const wrap = cache ? (model: EmbeddingModel) => withVectorCache(model, cache) : undefined;
for (const engine of engines) {
  if (engine === "postgres" && !url) throw new Error("DATABASE_URL names no PostgreSQL server.");
  if (engine === "citus" && !coordinatorUrl) throw new Error("BENCH_CITUS_URL names no coordinator.");
  const server =
    engine === "citus" ? { url: coordinatorUrl, isSpread: true } : engine === "postgres" ? { url } : {};
  for (const mode of modes) {
    const service = await startService(server, mode, wrap);
    try {
      await measure(`${engine}-${mode}`, data, service);
    } finally {
      await service.close();
    }
  }
}

async function measure(setup: string, data: string, service: Service) {
  const owner = "searcher@example.com";
  const { key } = await service.createPerson(owner);
  const imports: number[] = [];
  for (const meeting of [...split.meetings, ...others]) {
    const began = performance.now();
    await service.import(owner, meeting);
    imports.push(performance.now() - began);
  }
  const perSecond = (imports.length * 1000) / imports.reduce((sum, one) => sum + one, 0);
  console.log(
    `\n${setup}: ${imports.length} meetings imported, ${perSecond.toFixed(1)}/s, worst ${Math.max(...imports).toFixed(0)} ms`,
  );

  const settling = performance.now();
  await service.waitForVectors();
  console.log(`${setup}: vectors after ${((performance.now() - settling) / 1000).toFixed(1)} s`);

  for (const queries of querySets)
    await ask(
      `${setup}-${queries.replace(/^queries\.?|\.?jsonl$/g, "") || "own"}`,
      queries,
      data,
      service,
      key,
    );
}

/**
 * Changes ranking parameters before the search statement is loaded, to compare them.
 * @param changes such as `similarity.weight=0.85`
 */
function setRanking(changes: readonly string[]): void {
  for (const change of changes) {
    const [path = "", text = ""] = change.split("=");
    const names = path.split(".");
    const last = names.pop() ?? "";
    let part = RANKING as unknown as Record<string, unknown>;
    for (const name of names) part = (part[name] ?? {}) as Record<string, unknown>;
    const value: unknown = JSON.parse(text);
    if (part[last] === undefined) throw new Error(`RANKING has no ${path}`);
    part[last] = value;
  }
}

/** Counts the queries without results. */
function countEmpty(answers: readonly string[]): number {
  return answers.filter((answer) => JSON.parse(answer).results.length === 0).length;
}

async function ask(setup: string, queries: string, data: string, service: Service, key: string) {
  const { everywhere, within, times } = await askAllQueries(service, key, readSplit(data, queries), others);
  console.log(`${setup}: search of all meetings, ${formatPercentiles(times)}`);
  console.log(`${setup}: ${countEmpty(everywhere)} of ${everywhere.length} queries have no results`);

  const out = join(options.out ?? mkdtempSync(join(tmpdir(), "bench-search-")), setup);
  mkdirSync(out, { recursive: true });
  const runs = writeRuns(out, { everywhere, within });
  const compare = options.compare
    ? ["--compare", join(options.compare, "run.jsonl"), "--compare3", join(options.compare, "within.jsonl")]
    : [];
  const perQuery = ["--perquery", join(out, "queries.jsonl")];
  console.log(
    execFileSync(
      process.execPath,
      [getEvaluatorPath(data), "--data", data, ...runs, ...compare, ...perQuery],
      {
        encoding: "utf8",
        maxBuffer: 1 << 26,
      },
    ),
  );
}

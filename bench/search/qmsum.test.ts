import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engine, findSearchBenchmark, needs } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { askAll, writeRuns } from "./ask.js";
import { evaluatorOf, readSplit } from "./dataset.js";
import { startService } from "./service.js";

/**
 * What search reaches with no download, for all queries and on average over the kinds of meetings: the least that is
 * promised, and a point below what was measured for the kinds.
 */
const LEAST = {
  all: { T1_mrr10: 65, T2_ndcg10: 39, T2_recall8kw: 65, T3_ndcg10: 61 },
  kinds: { T1_mrr10: 71, T2_ndcg10: 45, T2_recall8kw: 72, T3_ndcg10: 61 },
};

const { TEST_DATABASE_URL } = process.env;

test("search finds what was said in the meetings of QMSum, by its defaults and with no download", {
  ...needs("searchbench"),
  timeout: 300_000,
}, async () => {
  const benchmark = findSearchBenchmark();
  if (!benchmark) throw new Error("The search benchmark is missing.");
  const data = join(benchmark, "val");
  const split = readSplit(data);
  const service = await startService(engine === "postgres" ? TEST_DATABASE_URL : undefined, "learnt");
  onTestFinished(() => service.close());
  const { key } = await service.person("searcher@example.com");
  for (const meeting of split.meetings) await service.import("searcher@example.com", meeting);
  await service.settle();

  const folder = mkdtempSync(join(tmpdir(), "minutes-search-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const runs = writeRuns(folder, await askAll(service, key, split));
  const report = join(folder, "report.json");
  execFileSync(process.execPath, [evaluatorOf(data), "--data", data, ...runs, "--json", report]);
  const { total, macro } = JSON.parse(readFileSync(report, "utf8"));
  for (const [metric, least] of Object.entries(LEAST.all))
    expect(100 * total[metric].mean, `${metric}, all queries`).toBeGreaterThanOrEqual(least);
  for (const [metric, least] of Object.entries(LEAST.kinds))
    expect(100 * macro[metric], `${metric}, mean of kinds`).toBeGreaterThanOrEqual(least);
});

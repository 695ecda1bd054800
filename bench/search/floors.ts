import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { engine, onCluster } from "@minutes/testing";
import { expect, onTestFinished } from "vitest";
import { askAllQueries, writeRuns } from "./ask.js";
import { getEvaluatorPath, readSplit, writeSample } from "./dataset.js";
import { type Mode, startService } from "./service.js";

type Metrics = Readonly<Record<string, number>>;

/** The minimum of each metric, 100 ×, for a file of queries: over all of them, and as a mean over kinds of meetings. */
export type Floors = Readonly<Record<string, { readonly all: Metrics; readonly kinds?: Metrics }>>;

/**
 * Requires that search reaches the floors on val. Imports and queries everything through the public API.
 * @param sample.every takes every nth meeting and its queries only
 */
export async function requireFloors(
  benchmark: string,
  mode: Mode,
  floors: Floors,
  sample: { readonly every: number } = { every: 1 },
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "minutes-search-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const whole = join(benchmark, "val");
  const data = join(folder, "val");
  writeSample(whole, data, { every: sample.every, queries: Object.keys(floors) });
  const server = engine === "postgres" ? { url: process.env.TEST_DATABASE_URL, isSpread: onCluster } : {};
  const service = await startService(server, mode);
  onTestFinished(() => service.close());
  const { key } = await service.createPerson("searcher@example.com");
  for (const meeting of readSplit(data).meetings) await service.import("searcher@example.com", meeting);
  await service.waitForVectors();

  for (const [queries, least] of Object.entries(floors)) {
    const runs = writeRuns(folder, await askAllQueries(service, key, readSplit(data, queries)));
    const report = join(folder, "report.json");
    execFileSync(process.execPath, [getEvaluatorPath(whole), "--data", data, ...runs, "--json", report]);
    const { total, macro } = JSON.parse(readFileSync(report, "utf8"));
    for (const [metric, floor] of Object.entries(least.all))
      expect(100 * total[metric].mean, `${queries}, ${metric}, all`).toBeGreaterThanOrEqual(floor);
    for (const [metric, floor] of Object.entries(least.kinds ?? {}))
      expect(100 * macro[metric], `${queries}, ${metric}, mean of kinds`).toBeGreaterThanOrEqual(floor);
  }
}

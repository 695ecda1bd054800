import { readFileSync } from "node:fs";
import { engine } from "@minutes/testing";
import { expect, test } from "vitest";
import { startLoadTarget } from "../testing/load-target.js";
import { findFailures, runMixedLoad } from "../testing/mixed-load.js";

const SECONDS = Number(process.env.SOAK_SECONDS ?? 3_600);
const RATES = { reads: 20, searches: 0.5, imports: 0.5, updates: 4 };
/** Samples of memory in the whole time. */
const SAMPLES = 360;

const computeMedian = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

test.runIf(process.platform === "linux")(
  `memory after ${SECONDS} seconds of mixed load is within a tenth of what it was after a sixth of them`,
  { timeout: (SECONDS + 600) * 1_000 },
  async () => {
    const target = await startLoadTarget();
    const status = `/proc/${target.child.pid}/status`;
    /** Resident memory in MiB. */
    const samples: number[] = [];
    const sample = () =>
      samples.push(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1]) / 1024);
    const timer = setInterval(sample, (SECONDS * 1_000) / SAMPLES);
    const report = await runMixedLoad(target, { rates: RATES, connections: 16, seconds: SECONDS });
    clearInterval(timer);
    // Medians, because a garbage collection moves a single sample.
    const early = computeMedian(samples.slice(SAMPLES / 6, SAMPLES / 6 + 12));
    const late = computeMedian(samples.slice(-12));
    console.log(engine, JSON.stringify({ rates: RATES, report, early, late }));
    expect(findFailures(report)).toEqual({});
    expect(Math.abs(late / early - 1)).toBeLessThanOrEqual(0.1);
    expect((await target.stop()).code).toBe(0);
  },
);

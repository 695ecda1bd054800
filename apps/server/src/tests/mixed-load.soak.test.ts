import { engine } from "@minutes/testing";
import { expect, test } from "vitest";
import { startLoadTarget } from "../testing/load-target.js";
import { findFailures, type Rates, runMixedLoad } from "../testing/mixed-load.js";

const SECONDS = Number(process.env.SOAK_SECONDS ?? 300);
const LOADS: readonly [number, Rates][] = [
  [16, { reads: 60, searches: 2, imports: 4, updates: 8 }],
  [200, { reads: 100, searches: 3, imports: 5, updates: 12 }],
];

test.each(LOADS)(
  `200: every call for ${SECONDS} seconds over %i connections, at %j a second`,
  { timeout: (SECONDS + 600) * 1_000 },
  async (connections, rates) => {
    const target = await startLoadTarget();
    const { received } = target.receiver;
    const report = await runMixedLoad(target, { rates, connections, seconds: SECONDS });
    console.log(engine, connections, JSON.stringify({ rates, report, deliveries: received.length }));
    expect(findFailures(report)).toEqual({});
    await expect.poll(() => received.length).toBeGreaterThanOrEqual(report.imports.statuses[200] ?? 0);
    expect((await target.stop()).code).toBe(0);
  },
);

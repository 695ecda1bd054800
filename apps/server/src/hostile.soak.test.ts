import { runStorm, testServer } from "@minutes/testing";
import { expect, test } from "vitest";

const REQUESTS = Number(process.env.HOSTILE_REQUESTS ?? 50_000);
const SEED = Number(process.env.HOSTILE_SEED ?? Date.now() % 1_000_000);

test(`${REQUESTS} hostile requests (seed ${SEED}): no fault, nothing blocks over 100 ms, memory within 64 MiB`, async () => {
  const server = await testServer();
  const report = await runStorm(server, REQUESTS, SEED);
  console.log(`${JSON.stringify(report.statuses)}, memory ${Math.round(report.memoryGrowth)} MiB`);
  expect(report.faults).toEqual([]);
  expect(report.blocking).toEqual([]);
  expect(report.memoryGrowth).toBeLessThan(64);
  await server.close();
}, 3_600_000);

import { expect, test } from "vitest";
import { runStorm, startTestServer } from "../testing/index.js";

test("100 hostile requests on all route sets: none is a fault, and none blocks the process", async () => {
  const server = await startTestServer({ trustProxy: 1 });
  const report = await runStorm(server, 100, 20_261_125);
  expect(report.faults).toEqual([]);
  expect(report.blocking).toEqual([]);
  // The storm is effective only if it gets past the keys and is refused in every way.
  for (const status of [200, 400, 401, 403, 404, 405]) {
    expect([status, (report.statuses[status] ?? 0) > 0]).toEqual([status, true]);
  }
  await server.close();
});

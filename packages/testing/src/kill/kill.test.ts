import { expect, test } from "vitest";
import { killed } from "./kill.js";

test("kill -9 during completion leaves all of a meeting and its deliveries, or nothing, 3 times (100 in the soak)", async () => {
  const { completed, deliveries } = await killed(3);
  expect(completed).toBeGreaterThanOrEqual(3);
  expect(deliveries).toBeGreaterThanOrEqual(3 * completed);
}, 240_000);

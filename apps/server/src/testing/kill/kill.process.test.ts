import { expect, test } from "vitest";
import { killDuringCompletion } from "./kill.js";

test("after kill -9 during completion a meeting and its deliveries exist completely or not at all", async () => {
  const { completed, deliveries } = await killDuringCompletion(1);
  expect(completed).toBeGreaterThanOrEqual(1);
  expect(deliveries).toBeGreaterThanOrEqual(3 * completed);
});

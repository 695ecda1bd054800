import { expect, test } from "vitest";
import { killDuringCompletion } from "./kill.js";

test("after kill -9 during completion a meeting and its deliveries exist completely or not at all, twice", async () => {
  const { completed, deliveries } = await killDuringCompletion(2);
  expect(completed).toBeGreaterThanOrEqual(2);
  expect(deliveries).toBeGreaterThanOrEqual(3 * completed);
}, 240_000);

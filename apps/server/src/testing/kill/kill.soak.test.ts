import { expect, test } from "vitest";
import { killDuringCompletion } from "./kill.js";

test("after kill -9 during completion a meeting and its deliveries exist completely or not at all, 100 times", async () => {
  const { completed, unfinished, deliveries } = await killDuringCompletion(100);
  console.log(
    `100 kills: ${completed} acknowledged completions, ${unfinished} recordings cut short, ${deliveries} deliveries`,
  );
  expect(completed).toBeGreaterThanOrEqual(100);
}, 3_600_000);

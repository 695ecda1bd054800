import { expect, test } from "vitest";
import { killed } from "./kill.js";

test("kill -9 during completion leaves all of a meeting and its deliveries, or nothing, 100 times", async () => {
  const { completed, unfinished, deliveries } = await killed(100);
  console.log(
    `100 kills: ${completed} acknowledged completions, ${unfinished} recordings cut short, ${deliveries} deliveries`,
  );
  expect(completed).toBeGreaterThanOrEqual(100);
}, 3_600_000);

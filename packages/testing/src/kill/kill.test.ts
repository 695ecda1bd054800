import { expect, test } from "vitest";
import { killed } from "./kill.js";

test("kill -9 during completion leaves all of a meeting or nothing, 3 times (100 in the soak)", async () => {
  expect((await killed(3)).completed).toBeGreaterThanOrEqual(3);
}, 240_000);

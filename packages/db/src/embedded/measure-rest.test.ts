import { afterEach, expect, test, vi } from "vitest";
import { measureRest } from "./measure-rest.js";

afterEach(() => void vi.useRealTimers());

test.each([
  ["short work, which others waited for", 99, 4, 0],
  ["long work that nobody waited for", 5_000, 0, 0],
  ["long work that others waited for", 250, 1, 250],
  ["very long work that others waited for", 5_000, 1, 1_000],
])("after %s of %i ms: %i waited, rest %i ms", (_, ran, waited, rest) => {
  vi.useFakeTimers({ toFake: ["performance"] });
  let held = 7;
  const finish = measureRest(() => held);
  held += waited;
  vi.advanceTimersByTime(ran);
  expect(finish()).toBe(rest);
});

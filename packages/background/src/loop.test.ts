import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { type BackgroundLoop, startLoop } from "./loop.js";

/** Longer than any test. */
const LONG = 600_000;

/** A loop whose steps the test completes. */
function steppedLoop(options: { minimumPause?: number; faultPause?: number } = {}) {
  const faults: unknown[] = [];
  const steps: ((outcome: number | Error) => void)[] = [];
  const loop: BackgroundLoop = startLoop({
    ...options,
    onFault: (error) => faults.push(error),
    step: (signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => resolve(0));
        steps.push((outcome) => (typeof outcome === "number" ? resolve(outcome) : reject(outcome)));
      }),
  });
  const nextStep = async (number: number) => {
    await expect.poll(() => steps.length).toBeGreaterThanOrEqual(number);
    return steps[number - 1] as (outcome: number | Error) => void;
  };
  return { loop, steps, faults, nextStep };
}

test("a wake during a step is not lost: another step follows", async () => {
  const { loop, nextStep } = steppedLoop();
  const end = await nextStep(1);
  loop.wake();
  end(LONG);
  await nextStep(2);
  await loop.stop();
});

test("many wakes during a step are followed by one step", async () => {
  const { loop, steps, nextStep } = steppedLoop();
  const end = await nextStep(1);
  for (let wakes = 0; wakes < 10; wakes++) loop.wake();
  end(LONG);
  (await nextStep(2))(LONG);
  await pause(30);
  expect(steps).toHaveLength(2);
  await loop.stop();
});

test("a wake does not shorten the minimum pause", async () => {
  const { loop, steps, nextStep } = steppedLoop({ minimumPause: LONG });
  (await nextStep(1))(LONG);
  loop.wake();
  await pause(30);
  expect(steps).toHaveLength(1);
  await loop.stop();
});

test("a step that throws is reported, and the loop continues", async () => {
  const { loop, faults, nextStep } = steppedLoop({ faultPause: 1 });
  const fault = new Error("the database is away");
  (await nextStep(1))(fault);
  await nextStep(2);
  expect(faults).toEqual([fault]);
  await loop.stop();
});

test("a stop aborts the current step, waits for it, and prevents another", async () => {
  let ended = false;
  let steps = 0;
  const loop = startLoop({
    onFault: () => {},
    step: async (signal) => {
      steps++;
      await pause(LONG, undefined, { signal }).catch(() => pause(20));
      ended = true;
      return 0;
    },
  });
  await loop.stop();
  expect({ ended, steps }).toEqual({ ended: true, steps: 1 });
});

test("a stop ends the wait between two steps", async () => {
  for (const minimumPause of [0, LONG]) {
    const { loop, nextStep } = steppedLoop({ minimumPause });
    (await nextStep(1))(LONG);
    await loop.stop();
  }
});

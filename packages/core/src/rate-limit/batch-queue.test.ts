import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { BatchQueue } from "./batch-queue.js";

/** A queue whose batches end when the test says so. */
function scene() {
  const clock = { now: 0 };
  const batches: { items: readonly string[]; end: () => void }[] = [];
  const queue = new BatchQueue<string>(
    (items) => new Promise((resolve) => batches.push({ items, end: resolve })),
    () => clock.now,
  );
  const add = async (...items: string[]) => {
    for (const item of items) queue.add(item);
    await setImmediate();
  };
  return { add, clock, batches, listItems: () => batches.map(({ items }) => items.join("")) };
}

test("items of one turn go together, those that come during a batch go into the next", async () => {
  const { add, batches, listItems } = scene();
  await add("a", "b", "B");
  await add("c");
  await add("d", "e");
  expect(listItems()).toEqual(["abB"]);
  batches[0]?.end();
  await setImmediate();
  expect(listItems()).toEqual(["abB", "cde"]);
  batches[1]?.end();
  await setImmediate();
  await add("f");
  expect(listItems()).toEqual(["abB", "cde", "f"]);
});

test("a batch that hangs holds up the others for 100 ms; four run at once at most", async () => {
  const { add, clock, batches, listItems } = scene();
  await add("a");
  await add("b");
  expect(listItems()).toEqual(["a"]);
  for (const next of ["c", "d", "e", "f"]) {
    clock.now += 101;
    await add(next);
  }
  expect(listItems()).toEqual(["a", "bc", "d", "e"]);
  batches[2]?.end();
  await setImmediate();
  expect(listItems()).toEqual(["a", "bc", "d", "e", "f"]);
});

import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { BatchQueue } from "./batch-queue.js";

/** A queue whose batches complete when the test says so. */
function scene() {
  const clock = { now: 0 };
  const batches: { items: readonly string[]; end: () => void }[] = [];
  const queue = new BatchQueue<string, string>(
    (items) => new Promise((resolve) => batches.push({ items, end: () => resolve(items) })),
    () => clock.now,
  );
  const add = async (...items: string[]) => {
    for (const item of items) void queue.add(item);
    await setImmediate();
  };
  return { add, clock, batches, listItems: () => batches.map(({ items }) => items.join("")) };
}

test("items of one turn of the event loop share a batch; those added during a batch go into the next", async () => {
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

test("a hung batch delays others for 100 ms; at most four run concurrently", async () => {
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

test("each item gets its own result; a failed batch rejects only its own items", async () => {
  let fails = false;
  const queue = new BatchQueue<number, number>(async (items) => {
    if (fails) throw new Error("away");
    return items.map((item) => item * 2);
  });
  expect(await Promise.all([queue.add(1), queue.add(2)])).toEqual([2, 4]);
  fails = true;
  await expect(queue.add(3)).rejects.toThrow("away");
  fails = false;
  expect(await queue.add(4)).toBe(8);
});

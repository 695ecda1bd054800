import { describe, expect, test } from "vitest";
import { HashQueue } from "./hash-queue.js";

/** Creates a queue with one slot, and a task in it that ends on demand. */
function openQueue(waiting: number) {
  const clock = { now: 0 };
  const queue = new HashQueue(1, waiting, () => clock.now);
  const done: string[] = [];
  let release = () => {};
  const running = queue.run(
    { address: "first", answerBy: 10 },
    () => new Promise<void>((resolve) => (release = resolve)),
  );
  const add = (address: string, name: string, answerBy = 10) =>
    queue
      .run({ address, answerBy }, async () => void done.push(name))
      .catch(({ code }: { code: string }) => void done.push(`${name}: ${code}`));
  return { clock, done, add, release: () => release(), running };
}

describe("the queue of password hashes", () => {
  test("serves addresses in turn, however many tasks of one wait", async () => {
    const { add, done, release } = openQueue(10);
    const flood = [add("a", "a1"), add("a", "a2"), add("a", "a3")];
    const others = [add("b", "b1"), add("c", "c1")];
    release();
    await Promise.all([...flood, ...others]);
    expect(done).toEqual(["a1", "b1", "c1", "a2", "a3"]);
  });

  test("503: full; the longest line yields to another address", async () => {
    const { add, done, release } = openQueue(3);
    const all = [add("a", "a1"), add("a", "a2"), add("a", "a3"), add("a", "a4"), add("b", "b1")];
    await expect.poll(() => done).toEqual(["a4: SERVICE_UNAVAILABLE", "a3: SERVICE_UNAVAILABLE"]);
    release();
    await Promise.all(all);
    expect(done.slice(2)).toEqual(["a1", "b1", "a2"]);
  });

  test("503: callers that were already answered are dropped and take no slot", async () => {
    const { add, clock, done, release } = openQueue(10);
    const all = [add("a", "a1", 5), add("a", "a2", 20), add("b", "b1", 5), add("b", "b2", 5)];
    clock.now = 6;
    release();
    await Promise.all(all);
    expect(done).toEqual(expect.arrayContaining(["a1: SERVICE_UNAVAILABLE", "a2"]));
    expect(done.filter((one) => one.endsWith("UNAVAILABLE"))).toHaveLength(3);
    await add("c", "c1", 20);
    expect(done.at(-1)).toBe("c1");
    await add("c", "c2", 5);
    expect(done.at(-1)).toBe("c2: SERVICE_UNAVAILABLE");
  });
});

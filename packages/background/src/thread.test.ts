import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { Thread, ThreadLimitError } from "./thread.js";

/** Doubles a number; loops, fills its memory or fails on request. */
const WORKER = `import { parentPort } from "node:worker_threads";
const kept = [];
parentPort.on("message", (question) => {
  while (question === "loop");
  while (question === "fill") kept.push(new Array(1000).fill(kept.length));
  if (question === "fail") throw new RangeError("too much");
  parentPort.postMessage(question * 2);
});`;

const startThread = (deadline: number, idle = 30_000) =>
  new Thread<number | string, number>({
    file: new URL(`data:text/javascript,${encodeURIComponent(WORKER)}`),
    deadline,
    memory: 32,
    idle,
  });
const double = (thread: Thread<number | string, number>, value: number) => thread.use((ask) => ask(value));

test("callers use a thread one after another, each with several questions", async () => {
  const thread = startThread(60_000);
  const said: string[] = [];
  const work = (name: string) =>
    thread.use(async (ask) => {
      for (const value of [1, 2]) said.push(`${name}${await ask(value)}`);
    });
  await Promise.all([work("a"), work("b")]);
  expect(said).toEqual(["a2", "a4", "b2", "b4"]);
});

test("a thread that loops or exhausts its memory is stopped, and the next caller gets a new one", async () => {
  const looping = startThread(500);
  await expect(looping.use((ask) => ask("loop"))).rejects.toThrow(ThreadLimitError);
  const filling = startThread(60_000);
  const [full, next] = [filling.use((ask) => ask("fill")), double(filling, 21)];
  await expect(full).rejects.toThrow(ThreadLimitError);
  expect(await next).toBe(42);
});

test("an error in the thread reaches its caller, and an idle thread starts again", async () => {
  const thread = startThread(60_000, 1);
  await expect(thread.use((ask) => ask("fail"))).rejects.toThrow("too much");
  for (const value of [1, 2, 3]) {
    expect(await double(thread, value)).toBe(2 * value);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
});

test("an idle thread does not keep its process alive", async ({ signal }) => {
  const script = `import { Thread } from ${JSON.stringify(new URL("thread.ts", import.meta.url).href)};
const file = new URL(${JSON.stringify(`data:text/javascript,${encodeURIComponent(WORKER)}`)});
const thread = new Thread({ file, deadline: 3_600_000, memory: 32, idle: 3_600_000 });
console.log(await thread.use((ask) => ask(21)));`;
  const options = ["--import", import.meta.resolve("tsx"), "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, options, { signal });
  expect(stdout).toBe("42\n");
});

test("a stopped thread rejects its work, and the next caller gets a new one", async () => {
  const thread = startThread(60_000);
  const looping = thread.use(async (ask) => {
    const answer = ask("loop");
    thread.stop();
    return answer;
  });
  await expect(looping).rejects.toThrow("stopped");
  expect(await double(thread, 21)).toBe(42);
});

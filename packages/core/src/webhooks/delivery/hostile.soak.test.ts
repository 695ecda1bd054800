import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createTestCa } from "@minutes/testing";
import { expect, test } from "vitest";
import { createTargetPolicy } from "../../lib/http/target-policy.js";
import { createSender } from "./send.js";

const BEHAVIORS = ["endless", "drip", "slowBody", "headers", "silent", "garbage", "closes"];
const COUNT = 1_000;
const MEGABYTE = 2 ** 20;

test("1,000 hostile receivers: each attempt ends within 30.5 s, and memory grows by less than 50 MB", {
  timeout: 1_200_000,
}, async () => {
  const ca = await createTestCa();
  const directory = await mkdtemp(join(tmpdir(), "minutes-hostile-"));
  const { cert, key } = await ca.issue();
  await writeFile(join(directory, "cert"), cert);
  await writeFile(join(directory, "key"), key);
  const script = fileURLToPath(new URL("testing/hostile-server.mjs", import.meta.url));
  const child = spawn(process.execPath, [script, join(directory, "cert"), join(directory, "key")]);
  const [port] = await once(child.stdout, "data");
  const targetPolicy = createTargetPolicy({ allowedNetworks: ["127.0.0.1/32"] });
  const sender = createSender({ targetPolicy, extraCa: ca.ca });
  let longest = 0;
  const outcomes: Record<string, number> = {};
  const send = async (number: number) => {
    const behavior = BEHAVIORS[number % BEHAVIORS.length];
    const url = `https://127.0.0.1:${Number(port)}/${behavior}`;
    const began = performance.now();
    const { error } = await sender.send({ url, headers: {}, body: "{}" });
    longest = Math.max(longest, performance.now() - began);
    const name = `${behavior}: ${error}`;
    outcomes[name] = (outcomes[name] ?? 0) + 1;
  };
  const sendAll = async (count: number) => {
    let next = 0;
    const one = async () => {
      while (next < count) await send(next++);
    };
    await Promise.all(Array.from({ length: 64 }, one));
  };
  await sendAll(140); // memory allocated by the first attempts is not growth
  const rss = () => process.memoryUsage().rss / MEGABYTE;
  const before = rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, rss());
  }, 50);
  await sendAll(COUNT);
  clearInterval(watch);
  console.log(JSON.stringify({ longest: Math.round(longest), grown: Math.round(most - before), outcomes }));
  expect(longest).toBeLessThan(30_500);
  expect(most - before).toBeLessThan(50);
  expect(Object.keys(outcomes).sort()).toEqual([
    ...["closes: connection", "drip: timeout", "endless: null", "garbage: connection"],
    ...["headers: connection", "silent: timeout", "slowBody: status"],
  ]);
  child.kill();
  await sender.close();
  await ca.remove();
  await rm(directory, { recursive: true });
});

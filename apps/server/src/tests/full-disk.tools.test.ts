import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { findProgram, needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { minutesJson } from "../testing/installation.js";
import { emptyDataDir, startProcess } from "../testing/process.js";

describe("a full disk", needs("embedded", "prlimit"), () => {
  test("503 while the log can't grow, 200 by itself afterwards, nothing acknowledged is lost, and SIGTERM ends it", async () => {
    const DATA_DIR = await emptyDataDir();
    const server = await startProcess({ DATA_DIR, DEMO: "off" });
    const run = <Result>(...args: string[]) => minutesJson<Result>(args, { DATA_DIR });
    await run("workspaces", "create", "First", "--plan", "team");
    await run("users", "create", "ann@example.com", "--workspace", "First");
    const { key } = await run<{ key: string }>("keys", "create", "ann@example.com");
    const call = () =>
      fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } }).then(
        ({ status }) => status,
      );
    const ready = () => fetch(`${server.url}/ready`).then(({ status }) => status);
    expect(await call()).toBe(200);

    // Limits files to 64 KB, which is a full disk for the engine.
    const limitFiles = (bytes: string) =>
      execFileSync(findProgram("prlimit") ?? "", [`--pid=${server.child.pid}`, `--fsize=${bytes}:unlimited`]);
    limitFiles("65536");
    const added = run("users", "create", "bob@example.com").catch((error: Error) => error.message);
    await expect(added).resolves.toMatch(/unavailable/i);
    expect([await call(), await ready()]).toEqual([503, 503]);
    await sleep(1_500); // a first attempt to reopen, which fails
    expect(await ready()).toBe(503);

    limitFiles("unlimited");
    await expect.poll(ready, { interval: 250 }).toBe(200);
    expect(await call()).toBe(200);
    await run("users", "create", "cay@example.com");
    const users = await run<{ email: string }[]>("users", "list");
    expect(users.map(({ email }) => email).toSorted()).toEqual(["ann@example.com", "cay@example.com"]);

    limitFiles("65536");
    await run("users", "create", "dan@example.com").catch(() => {});
    expect((await server.stop()).code).toBe(0);
  });
});

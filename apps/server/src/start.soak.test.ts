import { setTimeout as sleep } from "node:timers/promises";
import { needs } from "@minutes/testing";
import { describe, expect, test } from "vitest";
import { minutesJson } from "./testing/installation.js";
import { findPnpm, isServing, startWithNpx } from "./testing/npx.js";
import { launchServer, startProcess, temporaryDir } from "./testing/process.js";

describe("start on the embedded database", needs("embedded"), () => {
  test.each([
    ["SIGTERM", "npx"],
    ["SIGKILL", "npx"],
    ["SIGKILL", "pnpm"],
  ] as const)("a %s to the %s of `npx -y pnpm@10 start` ends the server, too", async (signal, program) => {
    const { url, npx } = await startWithNpx();
    const pid = npx.pid ?? 0;
    process.kill(program === "npx" ? pid : await findPnpm(pid), signal);
    await expect.poll(() => isServing(url), { interval: 200 }).toBe(false);
  });

  test("a first start that was killed at any moment is healed by the next", async () => {
    for (let patience = 250; patience <= 8_000; patience *= 1.5) {
      const DATA_DIR = await temporaryDir();
      const killed = launchServer({ DATA_DIR });
      await sleep(patience);
      await killed.stop("SIGKILL");
      const next = await startProcess({ DATA_DIR });
      expect(next.output.stderr).toContain("curl ");
      expect(await minutesJson(["workspaces", "list"], { DATA_DIR })).toHaveLength(1);
      await next.stop();
    }
  });
});

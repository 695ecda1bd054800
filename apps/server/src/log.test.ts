import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { needs } from "@minutes/testing";
import { describe, expect, onTestFinished, test } from "vitest";
import { emptyDataDir } from "./testing/process.js";

const MINUTES = fileURLToPath(new URL("../bin/minutes.js", import.meta.url));

/** Starts a server that logs every call, and reads only its first line. */
async function startUnread() {
  const { PATH, HOME, TMPDIR } = process.env;
  const env = {
    PATH,
    HOME,
    TMPDIR,
    DATA_DIR: await emptyDataDir(),
    PORT: "0",
    DEMO: "off",
    LOG_LEVEL: "debug",
    EMBEDDINGS: "off",
  };
  const child = spawn(process.execPath, ["--liftoff-only", MINUTES, "start", "--json"], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let text = "";
  for (;;) {
    const [chunk] = await once(child.stdout, "data");
    text += chunk;
    const url = /"url":"([^"]+)"/.exec(text)?.[1];
    if (url) return { child, url };
  }
}

describe("a server whose stdout nobody reads", needs("embedded"), () => {
  test.each([
    ["closed", "SIGINT"],
    ["closed", "SIGHUP"],
    ["full", "SIGTERM"],
  ] as const)("goes on while stdout is %s, and ends with 0 on %s", async (state, signal) => {
    const { child, url } = await startUnread();
    if (state === "closed") child.stdout.destroy();
    else child.stdout.pause();
    // Each call logs a line of some 70 bytes; a pipe takes 64 KB.
    const statuses = new Set<number>();
    for (let round = 0; round < (state === "closed" ? 2 : 30); round++) {
      const calls = Array.from({ length: 50 }, () => fetch(`${url}/v1/me/meetings.list`));
      for (const { status } of await Promise.all(calls)) statuses.add(status);
    }
    expect([...statuses].filter((status) => ![401, 429].includes(status))).toEqual([]);
    const ended = once(child, "exit");
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
  });
});

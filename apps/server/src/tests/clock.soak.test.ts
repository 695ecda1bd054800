import { execFileSync } from "node:child_process";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { engine, findProgram, needs } from "@minutes/testing";
import { expect, onTestFinished, test } from "vitest";
import { startOwnPostgres } from "../testing/own-postgres.js";
import { emptyDataDir } from "../testing/process.js";
import { findLost } from "../testing/traffic.js";
import { startUnderLoad } from "../testing/under-load.js";

/** Clock jumps relative to the true time: daylight saving, a dead battery, and a correction. */
const JUMPS = ["+1h", "-1h", "+40d", "-400d", "+0"];

/** Creates a clock for other processes that a test can set. */
async function startClock() {
  const directory = await mkdtemp(join(tmpdir(), "minutes-clock-"));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const file = join(directory, "clock");
  const set = async (offset: string) => {
    await writeFile(file, `${offset}\n`);
  };
  await set("+0");
  await chmod(directory, 0o755); // PostgreSQL runs as another user
  await chmod(file, 0o644);
  const library = execFileSync(findProgram("faketime") ?? "", ["-f", "+0", "printenv", "LD_PRELOAD"], {
    encoding: "utf8",
  }).trim();
  return {
    set,
    env: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: "1",
      // A machine's clock jumps; its uptime doesn't.
      FAKETIME_DONT_FAKE_MONOTONIC: "1",
    },
  };
}

test("a clock that jumps: calls are answered, and nothing acknowledged is lost", {
  ...needs("faketime", "bash"),
  timeout: 300_000,
}, async () => {
  const clock = await startClock();
  const place =
    engine === "postgres"
      ? {
          DATABASE_URL: (await startOwnPostgres({ env: clock.env })).url,
          SECRETS_KEY: Buffer.alloc(32).toString("base64"),
        }
      : { DATA_DIR: await emptyDataDir(), DEMO: "off" };
  const clients = { readers: 4, updaters: 2, importers: 2 };
  const { people, server, traffic } = await startUnderLoad(place, clients, clock.env);
  const seen: string[] = [];
  for (const jump of JUMPS) {
    await clock.set(jump);
    await sleep(3_000);
    await traffic.untilServed();
    const { headers } = await fetch(`${server.url}/health`);
    seen.push(`${jump}: ${headers.get("date")}`);
  }
  const report = await traffic.stop();
  console.log(
    engine,
    JSON.stringify({ statuses: report.statuses, longest: Math.round(report.longest), seen }),
  );
  expect(new Set(seen.map((line) => line.slice(-24, -9))).size).toBeGreaterThan(2); // it did jump
  // PostgreSQL measures statements by this clock, so a jump ahead cancels running ones.
  const cancelled = engine === "postgres" ? (report.statuses[503] ?? 0) : 0;
  expect(cancelled).toBeLessThan(20);
  expect(report.statuses).toEqual({ 200: expect.any(Number), ...(cancelled > 0 ? { 503: cancelled } : {}) });
  expect(await findLost(server.url, people.key, report)).toEqual([]);
  expect((await server.stop()).code).toBe(0);
});

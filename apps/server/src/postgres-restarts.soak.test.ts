import { execFile } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { needs } from "@minutes/testing";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { minutesJson, startProcess } from "./testing/process.js";

const run = promisify(execFile);
const SCRIPT = fileURLToPath(new URL("../../../.ci/postgres", import.meta.url));
const RESTARTS = 20;
const CALLERS = 16;
/** Milliseconds within which each call has to be answered: the deadline of 5 s, and what the answer takes. */
const LONGEST_CALL = 5_500;

/** Starts a PostgreSQL server of this test's own. */
async function startPostgres() {
  const directory = await mkdtemp(join(tmpdir(), "minutes-restarts-"));
  await chmod(directory, 0o711); // started by root, the server runs as another user
  const DATA = join(directory, "data");
  const PGPORT = String(20_000 + (process.pid % 20_000));
  const script = async (command: string) =>
    (await run(SCRIPT, [command], { env: { ...process.env, DATA, PGPORT, PGFLAGS: "-c fsync=off" } })).stdout;
  const url = /DATABASE_URL=(\S+)/.exec(await script("start"))?.[1] ?? "";
  onTestFinished(async () => {
    await script("stop");
    await rm(directory, { recursive: true, force: true });
  });
  return { url, stop: () => script("stop"), start: () => script("start") };
}

test("PostgreSQL restarted under load: no process ends, each call is answered in time, nothing leaks", {
  ...needs("postgres", "bash"),
  timeout: 900_000,
}, async () => {
  const database = await startPostgres();
  const settings = {
    DATABASE_URL: database.url,
    SECRETS_KEY: Buffer.alloc(32).toString("base64"),
    RATE_LIMIT_PER_MINUTE: "1000000",
    LOG_LEVEL: "silent",
  };
  await minutesJson(["workspaces", "add", "First", "--plan", "team"], settings);
  await minutesJson(["users", "add", "ann@example.com", "--workspace", "First"], settings);
  const { key } = await minutesJson<{ key: string }>(["keys", "create", "ann@example.com"], settings);
  const server = await startProcess({ ...settings, LOG_LEVEL: "info" });
  let exited = false;
  void server.ended.then(() => {
    exited = true;
  });

  const counts = new Map<number, number>();
  let longest = 0;
  let running = true;
  const caller = async () => {
    while (running) {
      const began = performance.now();
      const status = await fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } }).then(
        async (response) => {
          await response.arrayBuffer();
          return response.status;
        },
        () => 0,
      );
      longest = Math.max(longest, performance.now() - began);
      counts.set(status, (counts.get(status) ?? 0) + 1);
      if (status !== 200) await sleep(20);
    }
  };
  const callers = Array.from({ length: CALLERS }, caller);
  for (let restart = 0; restart < RESTARTS && !exited; restart++) {
    await sleep(300);
    await database.stop();
    await database.start();
    await expect
      .poll(() => fetch(`${server.url}/ready`).then(({ status }) => status), {
        interval: 100,
        timeout: 10_000,
      })
      .toBe(200);
  }
  running = false;
  await Promise.all(callers);
  console.log({ exited, longest: Math.round(longest), counts: Object.fromEntries(counts) });
  expect(exited).toBe(false);
  expect([...counts.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(longest).toBeLessThan(LONGEST_CALL);

  const client = postgres(database.url, { max: 1, fetch_types: false });
  onTestFinished(() => client.end({ timeout: 1 }));
  const [sessions] =
    await client`select count(*)::int as n from pg_stat_activity where application_name = 'minutes'`;
  expect(sessions?.n).toBeLessThanOrEqual(12); // the pool of ten, and one that listens
});

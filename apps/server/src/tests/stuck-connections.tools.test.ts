import { setTimeout as sleep } from "node:timers/promises";
import { needs, openWire } from "@minutes/testing";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { startOwnPostgres } from "../testing/own-postgres.js";
import { addPeople } from "../testing/people.js";
import { startProcess } from "../testing/process.js";

const READERS = 16;
/** Length of the window in which answers are counted, in ms. */
const WINDOW = 2_000;

/**
 * Starts a server on a database and clients that list meetings. @returns a function that counts the answers of a window
 */
async function serve(databaseUrl: string, url: string) {
  const settings = { SECRETS_KEY: Buffer.alloc(32).toString("base64"), RATE_LIMIT_PER_MINUTE: "1000000" };
  const { key } = await addPeople({ ...settings, DATABASE_URL: databaseUrl, LOG_LEVEL: "silent" });
  const server = await startProcess({ ...settings, DATABASE_URL: url });
  let [served, failed] = [0, 0];
  let isRunning = true;
  const read = async () => {
    while (isRunning) {
      const status = await fetch(`${server.url}/v1/me/meetings.list`, { headers: { "x-api-key": key } }).then(
        (answer) => answer.status,
        () => 0,
      );
      if (status === 200) served += 1;
      else failed += 1;
      await sleep(10);
    }
  };
  const readers = Array.from({ length: READERS }, read);
  onTestFinished(async () => {
    isRunning = false;
    await Promise.all(readers);
  });
  return async () => {
    const before = { served, failed };
    await sleep(WINDOW);
    return { served: served - before.served, failed: failed - before.failed };
  };
}

/** Waits until calls fail, and then until all are answered again at the usual rate. */
async function untilRecovered(count: Awaited<ReturnType<typeof serve>>, before: number): Promise<void> {
  await expect.poll(async () => (await count()).failed, { interval: 0 }).toBeGreaterThan(0);
  const isServed = async () => {
    const { served, failed } = await count();
    return failed === 0 && served > before / 5;
  };
  await expect.poll(isServed, { interval: 0 }).toBe(true);
}

test("backends of PostgreSQL are stopped: their connections are replaced, and throughput recovers", {
  ...needs("postgres", "bash"),
}, async () => {
  const database = await startOwnPostgres();
  const count = await serve(database.url, database.url);
  const { served } = await count();
  const client = postgres(database.url, { max: 1, fetch_types: false });
  onTestFinished(() => client.end({ timeout: 1 }));
  const stopped = new Set<number>();
  onTestFinished(() => {
    for (const pid of stopped) process.kill(pid, "SIGCONT");
  });
  while (stopped.size < 3) {
    // Those of the readers, not of background work: without them no call fails.
    const backends = await client<{ pid: number }[]>`
      select pid from pg_stat_activity where application_name = 'minutes' and state = 'idle' order by query_start desc`;
    const backend = backends.find(({ pid }) => !stopped.has(pid));
    if (!backend) continue;
    process.kill(backend.pid, "SIGSTOP");
    // A process stopped during a write keeps its rows locked until it resumes, whatever its client does.
    const held = await client`select from pg_locks where pid = ${backend.pid} and locktype = 'transactionid'`;
    if (held.length > 0) process.kill(backend.pid, "SIGCONT");
    else stopped.add(backend.pid);
  }
  await untilRecovered(count, served);
});

test("a proxy loses the open connections and serves new ones: they are replaced, and throughput recovers", {
  ...needs("postgres", "bash"),
}, async () => {
  const database = await startOwnPostgres();
  const wire = await openWire(database.url);
  onTestFinished(() => wire.close());
  const count = await serve(database.url, wire.url);
  const { served } = await count();
  wire.freezeOpen();
  await untilRecovered(count, served);
});

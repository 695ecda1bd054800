import { needs } from "@minutes/testing";
import postgres from "postgres";
import { expect, onTestFinished, test } from "vitest";
import { startOwnPostgres } from "./testing/own-postgres.js";
import { addPeople } from "./testing/people.js";
import { launchServer, startProcess, startWorkerProcess } from "./testing/process.js";

test("SIGTERM while the database hangs: the server and a worker end by themselves, with 0", {
  ...needs("postgres", "bash"),
}, async () => {
  const database = await startOwnPostgres();
  const settings = {
    ...{ DATABASE_URL: database.url, SECRETS_KEY: Buffer.alloc(32).toString("base64") },
    STOP_TIMEOUT: "5",
  };
  const { key } = await addPeople({ ...settings, LOG_LEVEL: "silent" });
  const [server, worker] = await Promise.all([startProcess(settings), startWorkerProcess(settings)]);
  const readFeed = async (input: object): Promise<{ nextCursor: string }> => {
    const parameter = encodeURIComponent(JSON.stringify({ json: input }));
    const url = `${server.url}/sync/v1/me/changes.list?input=${parameter}`;
    const answer = await fetch(url, { headers: { "x-api-key": key } });
    return ((await answer.json()) as { result: { data: { json: { nextCursor: string } } } }).result.data.json;
  };
  // The process listens for changes from the first waiting call on.
  const { nextCursor } = await readFeed({});
  await readFeed({ cursor: nextCursor, wait: 1 });

  const thaw = await database.freeze();
  try {
    const ends = await Promise.all([server.stop(), worker.stop()]);
    for (const { code, stdout } of ends) {
      expect(code, stdout).toBe(0);
      expect(stdout).toContain("abandoned running work");
    }
  } finally {
    thaw();
  }
});

test("SIGTERM while a start waits for the database: the process ends by itself, with 0", {
  ...needs("postgres", "bash"),
}, async () => {
  const database = await startOwnPostgres();
  const client = postgres(database.url, { max: 1, fetch_types: false });
  onTestFinished(() => client.end({ timeout: 1 }));
  await client`select pg_advisory_lock(7164210381)`; // another process migrates
  const server = launchServer({ DATABASE_URL: database.url, STOP_TIMEOUT: "5" });
  const isWaiting = async () => (await client`select from pg_locks where not granted`).length;
  await expect.poll(isWaiting).toBe(1);
  const { code, stdout } = await server.stop();
  expect(code, stdout).toBe(0);
  expect(stdout).toContain("stopped before the start was complete");
});

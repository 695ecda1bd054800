import type { KeyVerifier } from "@minutes/core";
import { connectEmbedded } from "@minutes/db";
import { createTestDatabase, needs, send } from "@minutes/testing";
import { sql } from "drizzle-orm";
import express from "express";
import { describe, expect, onTestFinished, test } from "vitest";
import { startTestServer, type TestServerOptions } from "../../testing/index.js";
import { createFullDiskNotice } from "../full-disk.js";
import { createHttpServer } from "../http-server.js";
import { serveStatus } from "./status.js";

type Verifier = Pick<KeyVerifier, "verify" | "answeredAt">;

/** Serves the status of a process with this key verification. @returns its URL */
async function serve(verifier: Verifier, deadline = 1_000): Promise<string> {
  const options = {
    verifier,
    similarity: undefined,
    accepting: () => true,
    deadline,
    ignoresForwarded: () => false,
    isDiskFull: () => false,
    onUnready: () => {},
  };
  const server = createHttpServer(express().use(serveStatus(options)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

test("/ready asks the database once, however many ask within a second", async () => {
  let questions = 0;
  const url = await serve({
    answeredAt: 0,
    verify: async () => {
      questions++;
      return undefined;
    },
  });
  const began = performance.now();
  const answers = await Promise.all(Array.from({ length: 30 }, () => send(url, "/ready")));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  // One per second that a busy machine needed.
  expect(questions).toBeLessThanOrEqual(1 + Math.floor((performance.now() - began) / 1_000));
});

test("503: /ready when no key can be verified", async () => {
  const url = await serve({ answeredAt: 0, verify: () => Promise.reject(new Error("no database")) });
  expect((await send(url, "/ready")).status).toBe(503);
});

test("200: /ready after one broken connection", async () => {
  let probes = 0;
  const url = await serve({
    answeredAt: 0,
    verify: async () => {
      if (++probes === 1) throw new Error("connection lost");
      return undefined;
    },
  });
  expect((await send(url, "/ready")).status).toBe(200);
});

test("/ready when the probe is late: 200 while other calls are answered, otherwise 503", async () => {
  const never = () => new Promise<undefined>(() => {});
  const busy = await serve({ verify: never, answeredAt: Number.POSITIVE_INFINITY }, 50);
  expect((await send(busy, "/ready")).status).toBe(200);
  const stuck = await serve({ verify: never, answeredAt: 0 }, 50);
  expect((await send(stuck, "/ready")).status).toBe(503);
});

/** Starts the whole server. @returns what reads the status of an answer */
async function startWhole(options: TestServerOptions) {
  const server = await startTestServer(options);
  onTestFinished(() => server.close());
  const ask = async (path: string) => (await send(server.url, path)).status;
  return { ...server, ask };
}

describe("/ready on the embedded engine", needs("embedded"), () => {
  test("503: while the engine doesn't answer; 200 once it does", async () => {
    const { ask, db } = await startWhole({ deadline: 300 });
    let release = () => {};
    const stuck = db.transaction(() => new Promise<void>((resolve) => (release = resolve)));
    expect([await ask("/ready"), await ask("/health")]).toEqual([503, 200]);
    release();
    await stuck;
    await expect.poll(() => ask("/ready")).toBe(200);
  });

  test("503: the engine fails every statement", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const connection = await connectEmbedded();
    const { ask } = await startWhole({ database, connection });
    await connection.close();
    expect([await ask("/ready"), await ask("/health")]).toEqual([503, 200]);
  });
});

test("200: /ready reports the disk as full for five minutes after a call that failed because of it", async () => {
  const { call, db, given, url } = await startWhole({});
  const anna = await given.person();
  const { taskIds } = await given.meeting(anna, { tasks: [{ text: "Order pump" }] });
  const ready = async () => (await send(url, "/ready")).body;
  expect(await ready()).toEqual({ status: "ready" });
  await db.execute(sql`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception using errcode = 'disk_full'; end $$`);
  await db.execute(sql`create trigger refuse before update on tasks for each row execute function refuse()`);
  const failed = await call(anna.key, "me/tasks.update", { taskId: taskIds[0], completed: true });
  expect(failed.status).toBe(503);
  expect(await ready()).toEqual({ status: "ready", disk: "full" });
  expect((await call(anna.key, "me/tasks.list")).status).toBe(200);

  let time = 0;
  const notice = createFullDiskNotice(() => time);
  notice.onCall({ fault: "57014" });
  expect(notice.seen()).toBe(false);
  notice.onCall({ fault: "53100" });
  time = 299_999;
  expect(notice.seen()).toBe(true);
  time = 300_000;
  expect(notice.seen()).toBe(false);
});

test("200: /ready under load, while calls are refused", async () => {
  const { ask, call, given } = await startWhole({ rateLimit: 100 });
  const [anna, boris] = [await given.person(), await given.person()];
  const seen = { calls: new Set<number>(), ready: new Set<number>() };
  const calls = [
    () => call(anna.key, "me/meetings.list"),
    () => call("jk_wrong", "me/meetings.list"),
    () => call(boris.key, "me/meetings.get", { meetingId: "unknown" }),
    () => call(boris.key, "me/meetings.list", { limit: -1 }),
  ];
  // An answer of /ready is shared for a second. A slow machine needs longer to use up the quota.
  for (const end = performance.now() + 1_200; performance.now() < end || !seen.calls.has(429); ) {
    const answers = Array.from({ length: 100 }, (_, at) => calls[at % calls.length]?.());
    seen.ready.add(await ask("/ready"));
    for (const answer of await Promise.all(answers)) seen.calls.add(answer?.status ?? 0);
  }
  expect([...seen.calls].toSorted()).toEqual([200, 400, 401, 404, 429]);
  expect([...seen.ready]).toEqual([200]);
});

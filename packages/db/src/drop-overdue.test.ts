import { setTimeout as sleep } from "node:timers/promises";
import { createTestDatabase, needs, openWire, type TestDatabase, type Wire } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { connectPostgres } from "./connect-postgres.js";
import { setStatementTimeout } from "./drop-overdue.js";
import { isUnavailable } from "./faults.js";

/** Timeout of a statement in ms; its connection is dropped 1.5 s later. */
const TIMEOUT = 2_000;
const ONE = sql`(values (1)) one`;

describe("overdue statements", needs("postgres"), () => {
  let database: TestDatabase;
  let wire: Wire;
  beforeAll(async () => {
    database = await createTestDatabase();
    wire = await openWire(database.url ?? "");
  });
  afterAll(async () => {
    await wire.close();
    await database.close();
  });

  /** Opens a pool through the proxy; closed after the test. */
  async function open(poolSize: number) {
    const connection = await connectPostgres({
      url: wire.url,
      migrate: false,
      statementTimeout: TIMEOUT,
      poolSize,
    });
    onTestFinished(() => connection.close());
    return connection;
  }

  test("a proxy loses the open connections: one statement fails as unavailable, and all connections are replaced, including the listening one", async () => {
    const { db, listen } = await open(4);
    const heard: (string | undefined)[] = [];
    await listen("overdue", (payload) => heard.push(payload));
    await Promise.all([1, 2, 3, 4].map(() => db.execute(sql`select pg_sleep(0.2)`)));
    wire.freezeOpen();
    const failed = await db.execute(sql`select 1`).then(
      () => null,
      (error: unknown) => error,
    );
    expect(isUnavailable(failed)).toBe(true);
    const answers = Array.from({ length: 8 }, (_, number) =>
      db.select({ number: sql<number>`${number}::int` }).from(ONE),
    );
    expect((await Promise.all(answers)).flat()).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7].map((number) => ({ number })),
    );
    await expect
      .poll(async () => {
        await db.execute(sql`select pg_notify('overdue', 'arrived')`);
        return heard;
      })
      .toContain("arrived");
  });

  test("a transaction with a longer statement timeout keeps its connection for that time, and no longer", async () => {
    const { db } = await open(1);
    const slept = db.transaction(async (tx) => {
      await setStatementTimeout(tx, 60_000);
      await tx.execute(sql`select pg_sleep(6)`);
      return tx.select({ done: sql<boolean>`true` }).from(ONE);
    });
    expect(await slept).toEqual([{ done: true }]);
    wire.freezeOpen();
    await expect(db.execute(sql`select 1`)).rejects.toThrow();
    await db.execute(sql`select 1`);
  });

  test("an answer that arrived while the process was busy is read, not dropped", async () => {
    const { db } = await open(1);
    await db.execute(sql`select 1`); // otherwise the connection timeout would expire while the process is busy
    const answer = db.execute(sql`select pg_sleep(0.1)`).then(() => "answered");
    await sleep(50);
    const until = performance.now() + 5_000;
    while (performance.now() < until);
    expect(await answer).toBe("answered");
  });

  test("a session whose transaction waits too long for its client is ended, even if the client is gone", async () => {
    const { db } = await open(1);
    const names = [
      "idle_in_transaction_session_timeout",
      "tcp_keepalives_idle",
      "tcp_keepalives_interval",
      "tcp_keepalives_count",
      "tcp_user_timeout",
    ];
    const rows = await db
      .select({ name: sql<string>`name`, setting: sql<string>`setting` })
      .from(sql`pg_settings where name = any(${sql.raw(`'{${names.join()}}'`)}::text[])`);
    const settings = Object.fromEntries(rows.map(({ name, setting }) => [name, Number(setting)]));
    expect(settings).toEqual({
      idle_in_transaction_session_timeout: 15_000,
      tcp_keepalives_idle: 10,
      tcp_keepalives_interval: 5,
      tcp_keepalives_count: 3,
      tcp_user_timeout: 25_000,
    });
  });
});

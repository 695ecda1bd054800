import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { purgeRateWindows } from "./daily.js";
import { VisitorGuard } from "./visitor.js";

const { rateWindows } = schema;

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const countOf = async (address: string) => {
  const rows = await server.db
    .select({ count: rateWindows.count })
    .from(rateWindows)
    .where(sql`${rateWindows.scope} = ${`visitor:${address}`}`);
  return rows[0]?.count ?? 0;
};

describe("visitors without a session", () => {
  test("429 costs no query until the quota resets; another address is unaffected", async () => {
    const clock = { now: 0 };
    const guard = new VisitorGuard(server.db, 2, () => clock.now);
    const exceeded = async (address: string) => (await guard.count(address)).exceeded;
    expect([await exceeded("192.0.2.1"), await exceeded("192.0.2.1")]).toEqual([false, false]);
    for (let request = 0; request < 50; request++) expect(await exceeded("192.0.2.1")).toBe(true);
    expect(await countOf("192.0.2.1")).toBe(3);
    expect(await exceeded("192.0.2.2")).toBe(false);
    clock.now += 60_000;
    await guard.count("192.0.2.1");
    expect(await countOf("192.0.2.1")).toBe(4);
  });

  test("the time to wait decreases", async () => {
    const clock = { now: 0 };
    const guard = new VisitorGuard(server.db, 1, () => clock.now);
    await guard.count("192.0.2.3");
    const first = await guard.count("192.0.2.3");
    clock.now += 10_000;
    expect((await guard.count("192.0.2.3")).retryAfter).toBe(first.retryAfter - 10);
  });

  test("only their windows are deleted an hour after they began", async () => {
    const guard = new VisitorGuard(server.db, 1);
    await guard.count("192.0.2.4");
    await guard.count("192.0.2.5");
    await server.db.execute(
      sql`update rate_windows set started_at = now() - interval '61 minutes' where scope = 'visitor:192.0.2.4'`,
    );
    await purgeRateWindows(server.db);
    expect([await countOf("192.0.2.4"), await countOf("192.0.2.5")]).toEqual([0, 1]);
  });
});

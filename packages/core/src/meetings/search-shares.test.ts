import { startTestServer, type TestServer } from "@minutes/server/testing";
import { createTestDatabase, needs, type TestDatabase } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

describe("while searches take long", needs("postgres"), () => {
  let database: TestDatabase;
  let server: TestServer;
  beforeAll(async () => {
    database = await createTestDatabase();
    server = await startTestServer({ database, connection: await database.connect({ poolSize: 5 }) });
  });
  afterAll(async () => {
    await server.close();
    await server.connection.close();
    await database.close();
  });

  test.each(["me/meetings.search", "me/meetings.ask"])(
    "%s: one user takes few connections, and others get theirs",
    async (route) => {
      const [anna, neighbor] = [await server.given.person(), await server.given.person()];
      const calls: Promise<{ status: number }>[] = [];
      await database.db.transaction(async (tx) => {
        await tx.execute(sql`lock table search_documents in access exclusive mode`);
        const input = { query: "lighthouse", question: "lighthouse" };
        for (let call = 0; call < 10; call++) calls.push(search(route, anna.key, input));
        const waiting = sql`pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
        await expect.poll(() => database.db.$count(waiting)).toBe(1);
        for (let call = 0; call < 10; call++)
          expect((await server.call(neighbor.key, "me/meetings.list")).status).toBe(200);
        await expect.poll(() => database.db.$count(waiting)).toBe(1);
      });
      for (const { status } of await Promise.all(calls)) expect([200, 503]).toContain(status);
    },
  );

  const search = async (
    route: string,
    key: string,
    { query, question }: { query: string; question: string },
  ) =>
    route === "me/meetings.search"
      ? server.call(key, route, { query })
      : fetch(`${server.url}/rest/v1/me/ask?question=${question}`, { headers: { "x-api-key": key } });
});

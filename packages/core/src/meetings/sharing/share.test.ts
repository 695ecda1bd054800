import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { needs } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

describe("404: it is deleted during the call", needs("postgres"), () => {
  /** Calls while a deletion holds its rows, which commits before the answer. */
  async function askedDuring(
    who: { userId: string },
    gone: (db: TestServer["db"]) => PromiseLike<unknown>,
    route: string,
    input: object,
  ) {
    const other = await server.database.connect();
    const token = await server.given.session(who);
    let answer: ReturnType<TestServer["call"]> | undefined;
    await other.db.transaction(async (tx) => {
      await gone(tx);
      answer = server.call(token, `settings/${route}`, input);
      await expect.poll(waiting).toBe(1);
    });
    const { status, body } = (await answer) ?? {};
    return [status, body];
  }
  const scene = async () => {
    const company = await server.given.company();
    const [anna, boris] = [await server.given.member(company), await server.given.member(company)];
    const meeting = await server.given.meeting(anna);
    return { anna, boris, meeting, tagId: await server.given.tagged(meeting, "Board") };
  };

  test("404: a meeting that is deleted while it is shared or tagged", async () => {
    for (const route of ["meetings.share", "meetings.tag"]) {
      const { anna, boris, meeting } = await scene();
      const { meetingId } = meeting;
      const input =
        route === "meetings.tag" ? { meetingId, name: "Board" } : { meetingId, email: boris.email };
      const gone = (db: TestServer["db"]) =>
        db.delete(schema.meetings).where(eq(schema.meetings.id, meetingId));
      expect(await askedDuring(anna, gone, route, input)).toEqual([404, { error: "Meeting not found" }]);
    }
  });

  test("404: a tag that is deleted while it is shared", async () => {
    const { anna, boris, tagId } = await scene();
    const gone = (db: TestServer["db"]) => db.delete(schema.tags).where(eq(schema.tags.id, tagId));
    expect(await askedDuring(anna, gone, "tags.share", { tagId, email: boris.email })).toEqual([
      404,
      { error: "No such tag." },
    ]);
  });
});

/** Counts the statements of this database that wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await server.db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return row?.count ?? 0;
}

import type { Connection } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  createConsoleCalls,
  createTestDatabase,
  type Meeting,
  needs,
  type TestDatabase,
} from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterEach, describe, expect, test } from "vitest";
import { createCorrectionCalls } from "./testing/calls.js";

describe("while another session holds a meeting", needs("postgres"), () => {
  let database: TestDatabase;
  let connection: Connection;
  let server: TestServer;
  async function start(options: { deadline?: number }) {
    database = await createTestDatabase();
    // Statements have no timeout, so only the deadline can end an edit.
    connection = await database.connect({ poolSize: 5 });
    server = await startTestServer({ database, connection, ...options });
  }
  afterEach(async () => {
    await server.close();
    await connection.close();
    await database.close();
  });
  const console = createConsoleCalls(() => server, ["meetings.listVersions"]);
  const { ask, createMeeting, edit, listVersions } = createCorrectionCalls(() => ({ ...server, ...console }));

  const whileHeld = ({ meetingId }: Meeting, work: () => Promise<void>) =>
    database.db.transaction(async (tx) => {
      await tx.execute(sql`select from meetings where id = ${meetingId} for update`);
      await work();
    });
  const countWaiting = () =>
    database.db.$count(sql`pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`);

  test("503: an edit whose deadline passes ends at once, and is not stored later", async () => {
    await start({ deadline: 400 });
    const { anna, meeting } = await createMeeting();
    const { meetingId } = meeting;
    await whileHeld(meeting, async () => {
      const late = await ask(anna, "meetings.update", { meetingId, baseVersion: 1, title: "Late" });
      expect(late.status).toBe(503);
      await expect.poll(countWaiting).toBe(0);
    });
    // On a busy machine this one could exceed the deadline as well.
    await server.close();
    server = await startTestServer({ database, connection });
    expect((await edit(meeting, { baseVersion: 1, title: "In time" })).version).toBe(2);
    expect((await listVersions(meeting)).versions).toHaveLength(2);
  });

  test("200: edits of that meeting wait with one connection, so that others get theirs", async () => {
    await start({});
    const { anna, meeting } = await createMeeting();
    const neighbor = await server.given.person();
    let edits: Promise<{ status: number }[]> = Promise.resolve([]);
    await whileHeld(meeting, async () => {
      const input = { meetingId: meeting.meetingId, baseVersion: 1, title: "New" };
      edits = Promise.all(Array.from({ length: 20 }, () => ask(anna, "meetings.update", input)));
      await expect.poll(countWaiting).toBe(1);
      for (let call = 0; call < 20; call++)
        expect((await server.call(neighbor.key, "me/meetings.list")).status).toBe(200);
      await expect.poll(countWaiting).toBe(1);
    });
    expect((await edits).map(({ status }) => status).toSorted()).toEqual([200, ...Array(19).fill(409)]);
  });
});

import type { MeetingHold } from "@minutes/contract";
import { schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import { type Company, type Person, readPayload } from "@minutes/testing";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createRetentionCalls } from "./testing/calls.js";

let server: TestServer;
let given: TestServer["given"];
let company: Company;
let anna: Person;
beforeAll(async () => {
  server = await startTestServer();
  given = server.given;
});
afterAll(() => server.close());
beforeEach(async () => {
  await server.db.delete(schema.retentionRules);
  company = await given.company();
  anna = await given.member(company);
});

const { ask, old } = createRetentionCalls(() => ({ server, company }));

describe("a hold", () => {
  const getHold = async (who: Person, meetingId: string) =>
    (await ask(who, "getHold", { meetingId }))[1] as MeetingHold;

  test("200: the owner's is released by the owner or an admin; an admin's only by an admin", async () => {
    const { meetingId } = await old(anna, 40);
    const { admin } = company;
    expect(await getHold(anna, meetingId)).toEqual({ held: false, mayRelease: true });
    for (const who of [anna, admin]) {
      await ask(anna, "hold", { meetingId });
      expect(await getHold(anna, meetingId)).toEqual({ held: true, mayRelease: true });
      expect((await ask(who, "release", { meetingId }))[0]).toBe(200);
      expect(await getHold(anna, meetingId)).toMatchObject({ held: false });
    }
    await ask(anna, "hold", { meetingId });
    await ask(admin, "hold", { meetingId });
    await ask(anna, "hold", { meetingId });
    expect(await getHold(anna, meetingId)).toEqual({ held: true, mayRelease: false });
    expect(await ask(anna, "release", { meetingId })).toEqual([
      403,
      "An admin put this meeting on hold. Only an admin can release it.",
    ]);
    expect((await ask(admin, "release", { meetingId }))[0]).toBe(200);
    const entries = await server.db
      .select({ action: schema.auditLog.action, actor: schema.auditLog.actor })
      .from(schema.auditLog)
      .where(and(eq(schema.auditLog.object, meetingId), sql`action ~ 'hold|release'`))
      .orderBy(schema.auditLog.id);
    expect(entries.slice(-3)).toEqual([
      { action: "meeting.hold", actor: anna.userId },
      { action: "meeting.hold", actor: admin.userId },
      { action: "meeting.release", actor: admin.userId },
    ]);
  });

  test("404: readers, colleagues, admins of other workspaces, an unknown meeting", async () => {
    const meeting = await old(anna, 40);
    const ben = await given.member(company);
    await given.shared(meeting, ben);
    const other = await given.company();
    const { meetingId } = meeting;
    for (const route of ["hold", "release", "getHold"]) {
      for (const who of [ben, other.admin])
        expect(await ask(who, route, { meetingId })).toEqual([404, "Meeting not found"]);
      expect(await ask(anna, route, { meetingId: "mtg_none" })).toEqual([404, "Meeting not found"]);
    }
  });

  test("200: the owner can still delete the meeting", async () => {
    const { meetingId } = await old(anna, 40);
    await ask(company.admin, "hold", { meetingId });
    const answer = await server.call(anna.key, "me/meetings.delete", { meetingId });
    expect(readPayload(answer)).toMatchObject({ success: true });
    expect(await server.db.$count(schema.meetingHolds, eq(schema.meetingHolds.meetingId, meetingId))).toBe(0);
  });
});

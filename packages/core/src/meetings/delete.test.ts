import { schema } from "@minutes/db";
import { needs, openTestApi, type TestApi } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let api: TestApi;
let given: TestApi["given"];
beforeAll(async () => {
  api = await openTestApi();
  given = api.given;
});
afterAll(() => api.close());

const remove = async (key: string, routes: "me" | "workspace", meetingId: string) => {
  const { status, body } = await api.call(key, `${routes}/meetings.delete`, { meetingId });
  return [status, body];
};
const deleted = (meetingId: string) => [
  200,
  { result: { data: { json: { success: true, message: "Meeting deleted", deletedMeetingId: meetingId } } } },
];
const NOT_YOURS = [403, { error: "Access denied. You can only delete your own meetings." }];
const NOT_THEIRS = [403, { error: "Access denied. This meeting does not belong to your workspace." }];
const NOT_FOUND = [404, { error: "Meeting not found" }];

describe("a personal key", () => {
  test("200: deletes an own meeting; 404 afterwards, everywhere", async () => {
    const anna = await given.person();
    const { meetingId } = await given.meeting(anna);
    expect(await remove(anna.key, "me", meetingId)).toEqual(deleted(meetingId));
    expect(await remove(anna.key, "me", meetingId)).toEqual(NOT_FOUND);
    const get = await api.call(anna.key, "me/meetings.get", { meetingId });
    expect([get.status, get.body]).toEqual(NOT_FOUND);
    expect((await api.data(anna.key, "me/meetings.list")).meetings).toEqual([]);
  });

  test("403: meetings shared directly or by tag, and other members' meetings", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    const ben = await given.member(company);
    const direct = await given.meetingSharedDirectly(anna, ben);
    const byTag = await given.meetingSharedByTag(anna, ben);
    const unseen = await given.meeting(anna);
    for (const { meetingId } of [direct, byTag, unseen]) {
      expect(await remove(ben.key, "me", meetingId)).toEqual(NOT_YOURS);
      expect(await remove(company.admin.key, "me", meetingId)).toEqual(NOT_YOURS);
      expect((await api.call(anna.key, "me/meetings.get", { meetingId })).status).toBe(200);
    }
  });

  test("404: an unknown meeting", async () => {
    const anna = await given.person();
    for (const id of ["mtg_none", "x", "🦀".repeat(128), "' or true --"])
      expect(await remove(anna.key, "me", id)).toEqual(NOT_FOUND);
  });
});

describe("a workspace key", () => {
  test("200: deletes any member's meeting", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    const { meetingId } = await given.meeting(anna);
    expect(await remove(company.key, "workspace", meetingId)).toEqual(deleted(meetingId));
    expect(await remove(company.key, "workspace", meetingId)).toEqual(NOT_FOUND);
  });

  test("403: meetings of a member who left and of a user outside the workspace", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    const left = await given.meeting(anna);
    await given.leaves(anna);
    const strange = await given.meeting(await given.person());
    for (const { meetingId } of [left, strange])
      expect(await remove(company.key, "workspace", meetingId)).toEqual(NOT_THEIRS);
    expect(await remove(company.key, "workspace", "mtg_none")).toEqual(NOT_FOUND);
  });
});

test("only a content-free tombstone of a deleted meeting remains", async () => {
  const company = await given.company();
  const anna = await given.member(company);
  const ben = await given.member(company);
  const canary = "canary-5f1e";
  const meeting = await given.richMeeting(anna, {
    externalId: "recorder-77",
    title: `Title ${canary}`,
    transcript: [
      { speakerId: "s", speakerName: canary, speakerEmail: `${canary}@example.com`, text: canary },
    ],
    summary: { markdown: canary, short: canary },
    tasks: [{ text: canary }],
  });
  await given.shared(meeting, ben);
  expect(await remove(anna.key, "me", meeting.meetingId)).toEqual(deleted(meeting.meetingId));
  const tables = await api.db
    .select({ name: sql<string>`tablename` })
    .from(sql`pg_tables where schemaname = 'public'`);
  const holding: string[] = [];
  for (const { name } of tables) {
    const like = (text: string) =>
      api.db.select({ one: sql`1` }).from(sql`${sql.identifier(name)} t where t::text like ${`%${text}%`}`);
    expect([name, await like(canary)]).toEqual([name, []]);
    if ((await like(meeting.meetingId)).length > 0) holding.push(name);
  }
  expect(holding.sort()).toEqual(["audit_log", "recordings", "sync_removals"]);
  const [tombstone] = await api.db
    .select()
    .from(schema.recordings)
    .where(eq(schema.recordings.id, meeting.meetingId));
  expect(tombstone).toMatchObject({ state: "deleted", contentHash: null, externalId: "recorder-77" });
  const notes = await api.db
    .select({ actor: schema.auditLog.actor, action: schema.auditLog.action })
    .from(schema.auditLog)
    .where(eq(schema.auditLog.object, meeting.meetingId));
  expect(notes).toContainEqual({ actor: expect.stringContaining(anna.keyId), action: "meeting.delete" });
});

test("200: one of ten concurrent deletions; 404: the others", async () => {
  const anna = await given.person();
  const { meetingId } = await given.meeting(anna);
  const answers = await Promise.all(Array.from({ length: 10 }, () => remove(anna.key, "me", meetingId)));
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1);
  expect(answers.filter(([status]) => status === 404 || status === 200)).toHaveLength(10);
});

test("404: a deletion that waited for another deletion of the same meeting", needs("postgres"), async () => {
  const anna = await given.person();
  const { meetingId } = await given.meeting(anna);
  const other = await api.database.connect();
  let answer: ReturnType<typeof remove> | undefined;
  await other.db.transaction(async (tx) => {
    await tx.delete(schema.meetings).where(eq(schema.meetings.id, meetingId));
    answer = remove(anna.key, "me", meetingId);
    await expect.poll(waiting).toBe(1);
  });
  expect(await answer).toEqual(NOT_FOUND);
});

/** Counts the statements of this database that wait for a lock. */
async function waiting(): Promise<number> {
  const [row] = await api.db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return row?.count ?? 0;
}

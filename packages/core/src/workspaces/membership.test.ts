import { MeetingImport } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  asUser,
  createTestDatabase,
  type Given,
  givenOn,
  needs,
  onPostgres,
  type TestDatabase,
} from "@minutes/testing";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { holdMeeting, importMeeting } from "../index.js";
import {
  createUser,
  eraseUser,
  findUser,
  joinWorkspace,
  leaveWorkspace,
  listMembers,
  setEmail,
  setPlan,
  setRole,
} from "./index.js";
import { updateUser } from "./users.js";

let database: TestDatabase;
let given: Given;
beforeAll(async () => {
  database = await createTestDatabase();
  given = givenOn(database.db);
});
afterAll(() => database.close());

const placeOf = async (who: { email: string }) => {
  const { workspaceId, role, plan } = await findUser(database.db, who.email);
  return { workspaceId, role, plan };
};

describe("one workspace at a time", () => {
  test("a new user is the admin of a workspace of their own", async () => {
    const anna = await given.person({ plan: "free" });
    expect(await placeOf(anna)).toMatchObject({ role: "admin", plan: "free" });
  });

  test("joining leaves the old one; leaving returns to their own one, with its plan", async () => {
    const company = await given.company({ plan: "enterprise" });
    const anna = await given.person({ plan: "pro" });
    const home = await placeOf(anna);
    await given.joins(anna, company);
    expect(await placeOf(anna)).toEqual({
      workspaceId: company.workspaceId,
      role: "member",
      plan: "enterprise",
    });
    await given.leaves(anna);
    expect(await placeOf(anna)).toEqual(home);
  });

  test("leaving without a workspace of their own creates one", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    await database.db
      .update(schema.workspaces)
      .set({ ownerId: null })
      .where(eq(schema.workspaces.ownerId, anna.userId));
    await given.leaves(anna);
    expect(await placeOf(anna)).toMatchObject({ role: "admin", plan: "free" });
  });

  test("409: the last admin leaves or becomes a member while others remain", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    const last = "This is the only admin of the workspace. Make another member an admin first.";
    await expect(given.leaves(company.admin)).rejects.toMatchObject({ code: "CONFLICT", message: last });
    await expect(setRole(database.db, OPERATOR, company.admin.userId, "member")).rejects.toThrow(last);
    await setRole(database.db, asUser(company.admin.userId), anna.userId, "admin");
    await given.leaves(company.admin);
    expect((await listMembers(database.db, company.workspaceId)).map((member) => member.userId)).toEqual([
      anna.userId,
    ]);
    await expect(given.leaves(anna)).resolves.toBeUndefined();
  });

  test("409: the second of two admins who leave concurrently", async () => {
    const company = await given.company();
    await given.member(company);
    const second = await given.member(company);
    await setRole(database.db, OPERATOR, second.userId, "admin");
    const other = onPostgres ? (await database.connect()).db : database.db;
    const results = await Promise.allSettled([
      leaveWorkspace(database.db, OPERATOR, company.admin.userId),
      leaveWorkspace(other, OPERATOR, second.userId),
    ]);
    expect(results.filter((result) => result.status === "fulfilled")).toHaveLength(1);
  });

  test("403: only an admin there removes others and sets roles; only the operator moves people in and sets the plan", async () => {
    const company = await given.company();
    const anna = await given.member(company);
    const stranger = await given.person();
    const { db } = database;
    for (const attempt of [
      () => joinWorkspace(db, asUser(anna.userId), stranger.userId, company.workspaceId),
      () => joinWorkspace(db, asUser(stranger.userId), stranger.userId, company.workspaceId),
      () => leaveWorkspace(db, asUser(anna.userId), company.admin.userId),
      () => setRole(db, asUser(anna.userId), anna.userId, "admin"),
      () => setPlan(db, asUser(anna.userId), company.workspaceId, "enterprise"),
      () => setPlan(db, asUser(company.admin.userId), company.workspaceId, "enterprise"),
      () => joinWorkspace(db, asUser(company.admin.userId), stranger.userId, company.workspaceId),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: "FORBIDDEN" });
    await expect(leaveWorkspace(db, asUser(anna.userId), anna.userId)).resolves.toBeUndefined();
  });

  test("404: unknown users and workspaces", async () => {
    const { db } = database;
    const anna = await given.person();
    for (const attempt of [
      () => joinWorkspace(db, OPERATOR, anna.userId, "ws_none"),
      () => leaveWorkspace(db, OPERATOR, "usr_none"),
      () => setPlan(db, OPERATOR, "ws_none", "pro"),
      () => findUser(db, "nobody@example.com"),
      () => eraseUser(db, OPERATOR, "usr_none"),
    ])
      await expect(attempt()).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

describe("e-mail addresses", () => {
  test("409: are unique, ignoring case", async () => {
    const anna = await given.person({ email: "Unique@Example.com" });
    const taken = { code: "CONFLICT", message: "Another user has this e-mail address." };
    await expect(
      createUser(database.db, OPERATOR, { email: "uNIQUE@example.COM", name: "x" }),
    ).rejects.toMatchObject(taken);
    const ben = await given.person();
    await expect(setEmail(database.db, OPERATOR, ben.userId, "UNIQUE@EXAMPLE.COM")).rejects.toMatchObject(
      taken,
    );
    expect((await findUser(database.db, "UNIQUE@example.com")).userId).toBe(anna.userId);
    await setEmail(database.db, OPERATOR, ben.userId, "Fresh@Example.com");
    expect((await findUser(database.db, "fresh@example.com")).userId).toBe(ben.userId);
  });
});

test("a changed address is answered with the meetings and tasks that keep the former one", async () => {
  const { db } = database;
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  const email = ben.email.toUpperCase();
  await given.meeting(anna, {
    transcript: [{ speakerId: "b", speakerName: "Ben", speakerEmail: email, text: "The wombat sleeps." }],
    tasks: [{ text: "Feed it", assignee: { name: "Ben", email } }],
  });
  await given.meeting(anna, { tasks: [{ text: "Wash it", assignee: { name: "Ben", email } }] });
  await given.meeting(anna);
  const same = await updateUser(db, OPERATOR, { user: ben.userId, name: "Ben", email });
  expect(same).not.toHaveProperty("formerAddress");
  const changed = await updateUser(db, OPERATOR, { user: ben.userId, email: `new-${ben.email}` });
  expect(changed).toMatchObject({
    email: `new-${ben.email}`,
    formerAddress: { email: ben.email, meetings: 2, tasks: 2 },
  });
});

test("the database itself refuses a share across workspaces, and a meeting outside its owner's", async () => {
  const { db } = database;
  const company = await given.company();
  const [anna, ben] = [await given.member(company), await given.member(company)];
  const meeting = await given.meetingSharedDirectly(anna, ben);
  const stranger = await given.company();
  const move = sql`update members set workspace_id = ${stranger.workspaceId} where user_id = ${ben.userId}`;
  await expect(db.execute(move)).rejects.toMatchObject({ cause: { code: "23503" } });
  const stray = sql`update meetings set workspace_id = ${stranger.workspaceId} where id = ${meeting.meetingId}`;
  await expect(db.execute(stray)).rejects.toMatchObject({ cause: { code: "23503" } });
});

test(
  "removing a user while one of their meetings is imported leaves nothing of it",
  needs("postgres"),
  async () => {
    const anna = await given.person();
    const other = await database.connect();
    let removed: Promise<void> | undefined;
    await other.db.transaction(async (tx) => {
      const meeting = {
        externalId: "late",
        ownerEmail: anna.email,
        title: "Late",
        startTime: "2026-01-01T10:00:00Z",
      };
      await importMeeting(tx, MeetingImport.parse(meeting));
      removed = eraseUser(database.db, OPERATOR, anna.userId);
      const waits = sql`pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await expect.poll(async () => (await other.db.select({ one: sql`1` }).from(waits)).length).toBe(1);
    });
    await removed;
    const left = await database.db
      .select()
      .from(schema.recordings)
      .where(eq(schema.recordings.externalId, "late"));
    expect(left).toEqual([]);
  },
);

test("removing a user erases their meetings, tags, shares, keys and address; others' recordings stay", async () => {
  const company = await given.company();
  const canary = "canary-remove-77";
  const anna = await given.member(company, { email: `${canary}@example.com`, name: canary });
  const ben = await given.member(company);
  await given.meetingSharedByTag(anna, ben, {
    title: canary,
    tag: canary,
    transcript: [{ speakerId: "s", speakerName: canary, text: canary }],
    tasks: [{ text: canary }],
  });
  const bens = await given.meetingSharedDirectly(ben, anna);
  await expect(eraseUser(database.db, asUser(company.admin.userId), anna.userId)).rejects.toMatchObject({
    code: "FORBIDDEN",
  });
  await eraseUser(database.db, asUser(anna.userId), anna.userId);
  const tables = await database.db
    .select({ name: sql<string>`tablename` })
    .from(sql`pg_tables where schemaname = 'public'`);
  for (const { name } of tables) {
    const found = await database.db
      .select({ row: sql<string>`t::text` })
      .from(sql`${sql.identifier(name)} t where t::text like ${`%${canary}%`}`);
    expect([name, found]).toEqual([name, []]);
  }
  const [left] = await database.db
    .select({ count: sql<number>`count(*)::int` })
    .from(sql`meetings where id = ${bens.meetingId}`);
  expect(left?.count).toBe(1);
});

test("409: a user whose meetings are on hold is erased only if that is confirmed; nothing changes otherwise", async () => {
  const { db } = database;
  const company = await given.company();
  const anna = await given.member(company);
  const [held] = [await given.meeting(anna), await given.meeting(anna)];
  await holdMeeting(db, asUser(company.admin.userId), held.meetingId);
  await expect(eraseUser(db, asUser(anna.userId), anna.userId)).rejects.toMatchObject({ code: "CONFLICT" });
  const own = eq(schema.meetings.userId, anna.userId);
  expect(await db.$count(schema.meetings, own)).toBe(2);
  await eraseUser(db, OPERATOR, anna.userId, { eraseHeld: true });
  expect(await db.$count(schema.meetings, own)).toBe(0);
});

test("the workspace's audit log says that a user and each of their meetings were deleted", async () => {
  const company = await given.company();
  const anna = await given.member(company);
  const ids = [await given.meeting(anna), await given.meeting(anna)].map(({ meetingId }) => meetingId);
  await eraseUser(database.db, OPERATOR, anna.userId);
  const { action, object, workspaceId, shownIn } = schema.auditLog;
  const entries = await database.db
    .select({ action, object, workspaceId })
    .from(schema.auditLog)
    .where(and(eq(shownIn, company.workspaceId), eq(schema.auditLog.actor, "operator")));
  expect(entries).toEqual(
    expect.arrayContaining([
      ...ids.map((id) => ({ action: "meeting.delete", object: id, workspaceId: null })),
      { action: "user.remove", object: anna.userId, workspaceId: company.workspaceId },
    ]),
  );
});

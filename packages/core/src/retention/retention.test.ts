import type { MeetingHold, RetentionPreview, RetentionRule, WebhookEventName } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  type Company,
  createWebhookScene,
  findPayload,
  type Meeting,
  type Person,
  readPayload,
  type WebhookScene,
  waitForFeed,
} from "@minutes/testing";
import { and, eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createPersonalWebhook } from "../webhooks/index.js";
import { runRetention } from "./index.js";

let scene: WebhookScene;
let server: TestServer;
let given: TestServer["given"];
let company: Company;
let anna: Person;
beforeAll(async () => {
  scene = await createWebhookScene();
  server = await startTestServer({ database: scene.database, webhooks: scene.settings });
  given = server.given;
});
afterAll(async () => {
  await server?.close();
  await scene?.close();
});
beforeEach(async () => {
  await server.db.delete(schema.retentionRules);
  company = await given.company();
  anna = await given.member(company);
});

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
const old = (owner: Person, days: number, ...tags: string[]) =>
  given.richMeeting(owner, {
    ...{ startTime: daysAgo(days), endTime: daysAgo(days - 0.01) },
    tags: tags.map((name) => ({ name })),
  });
async function ask(who: Person, route: string, input?: object) {
  const answer = await server.call(await given.session(who), `settings/retention.${route}`, input);
  return [answer.status, findPayload(answer) ?? (answer.body as { error: string }).error] as const;
}
const set = async (days: number, tag?: string) => {
  const [status, rule] = await ask(company.admin, "set", { days, ...(tag === undefined ? {} : { tag }) });
  expect(status).toBe(200);
  return rule as RetentionRule;
};
const preview = async (input: object = {}) =>
  (await ask(company.admin, "preview", input))[1] as RetentionPreview;
/** Runs retention as if this many hours had passed for its rules. */
async function run(hours = 25, db: Database = server.db) {
  await server.db
    .update(schema.retentionRules)
    .set({ nextRunAt: sql`next_run_at - make_interval(hours => ${hours}::int)` });
  await runRetention(db, new AbortController().signal);
}
const listKept = async (...meetings: Meeting[]) => {
  const ids = meetings.map(({ meetingId }) => meetingId);
  const rows = await server.db
    .select({ id: schema.meetings.id })
    .from(schema.meetings)
    .where(inArray(schema.meetings.id, ids));
  return ids.filter((id) => rows.some((row) => row.id === id));
};
const idsOf = (...meetings: Meeting[]) => meetings.map(({ meetingId }) => meetingId);

describe("a run", () => {
  test("deletes older meetings of the workspace as a deletion by hand does, and no others", async () => {
    const [gone, young] = [await old(anna, 40), await old(anna, 20)];
    const stranger = await old(await given.person(), 400);
    const ben = await given.member(company);
    await given.shared(gone, ben);
    const events: WebhookEventName[] = ["meeting.deleted"];
    const facts = { name: "Hook", url: "https://127.0.0.1/in", method: "signature" as const, events };
    const webhook = await createPersonalWebhook(server.db, scene.settings, anna.userId, facts);
    await waitForFeed(server.db);
    const { nextCursor: cursor } = await server.data(ben.key, "sync/me/changes.list");
    await set(30);
    await run();
    expect(await listKept(gone, young, stranger)).toEqual(idsOf(young, stranger));
    const answer = await server.call(anna.key, "me/meetings.get", { meetingId: gone.meetingId });
    expect([answer.status, answer.body]).toEqual([404, { error: "Meeting not found" }]);
    await waitForFeed(server.db);
    const { changes } = await server.data(ben.key, "sync/me/changes.list", { cursor });
    expect(changes).toContainEqual(
      expect.objectContaining({ op: "removed", reason: "deleted", type: "meeting", id: gone.meetingId }),
    );
    const [delivery] = await server.db
      .select({ event: schema.deliveries.event, data: schema.webhookEvents.data })
      .from(schema.deliveries)
      .innerJoin(schema.webhookEvents, eq(schema.webhookEvents.id, schema.deliveries.eventId))
      .where(eq(schema.deliveries.webhookId, webhook.id));
    expect(delivery).toEqual({
      event: "meeting.deleted",
      data: expect.stringContaining(`"${gone.meetingId}"`),
    });
    const [entry] = await server.db
      .select({ actor: schema.auditLog.actor, shownIn: schema.auditLog.shownIn })
      .from(schema.auditLog)
      .where(and(eq(schema.auditLog.object, gone.meetingId), eq(schema.auditLog.action, "meeting.expire")));
    expect(entry).toEqual({ actor: "server", shownIn: company.workspaceId });
    const [tombstone] = await server.db
      .select()
      .from(schema.recordings)
      .where(eq(schema.recordings.id, gone.meetingId));
    expect(tombstone).toMatchObject({ state: "deleted", contentHash: null });
    for (const table of ["search_chunks", "transcript_segments"])
      expect(
        await server.db.$count(sql`${sql.identifier(table)} t where t.meeting_id = ${gone.meetingId}`),
      ).toBe(0);
  });

  test("keeps meetings on hold, and deletes them once released", async () => {
    const [held, other] = [await old(anna, 40), await old(anna, 40)];
    expect((await ask(anna, "hold", { meetingId: held.meetingId }))[0]).toBe(200);
    await set(30);
    expect(await preview()).toMatchObject({ meetings: 1, held: 1 });
    await run();
    expect(await listKept(held, other)).toEqual(idsOf(held));
    expect((await ask(anna, "release", { meetingId: held.meetingId }))[0]).toBe(200);
    await run(1);
    expect(await listKept(held)).toEqual([]);
  });

  test("waits a day after each change of the workspace's rules, and an hour after a run", async () => {
    await set(365);
    await run();
    const meeting = await old(anna, 40);
    const rule = await set(30, "Short");
    await run(23);
    await set(30);
    await run(23);
    expect(await listKept(meeting)).toEqual(idsOf(meeting));
    await ask(company.admin, "delete", { ruleId: rule.id });
    await run(2);
    expect(await listKept(meeting)).toEqual(idsOf(meeting));
    await run(22);
    expect(await listKept(meeting)).toEqual([]);
    const next = await old(anna, 40);
    await run(0);
    expect(await listKept(next)).toEqual(idsOf(next));
    await run(1);
    expect(await listKept(next)).toEqual([]);
  });

  test("a tag's rule replaces the workspace's, the longest of several wins, and it is for this workspace's tags", async () => {
    const plain = await old(anna, 40);
    const legal = await old(anna, 40, "Legal");
    const brief = await old(anna, 15, "Brief");
    const both = await old(anna, 40, "Brief", "Legal");
    const stranger = await given.person();
    const elsewhere = await old(stranger, 15, "Brief");
    await set(30);
    await set(365, "Legal");
    await set(10, "Brief");
    await run();
    expect(await listKept(plain, legal, brief, both, elsewhere)).toEqual(idsOf(legal, both, elsewhere));
  });

  test("without a rule for all meetings, deletes only those with the tag", async () => {
    const [plain, brief] = [await old(anna, 40), await old(anna, 40, "Brief")];
    await set(10, "Brief");
    await run();
    expect(await listKept(plain, brief)).toEqual(idsOf(plain));
  });

  test("applies the rules of the workspace that a member moved to", async () => {
    const meeting = await old(anna, 40);
    await set(30);
    await given.leaves(anna);
    await run();
    expect(await listKept(meeting)).toEqual(idsOf(meeting));
  });

  test("that is killed leaves the rest to the run of the next hour", async () => {
    const meetings: Meeting[] = [];
    for (let number = 0; number < 120; number++)
      meetings.push(await given.meeting(anna, { startTime: daysAgo(400 - number) }));
    await set(30);
    let batches = 0;
    const dying = new Proxy(server.db, {
      get: (db, name) => {
        if (name === "transaction" && ++batches > 1) throw new Error("killed");
        return Reflect.get(db, name);
      },
    });
    await expect(run(25, dying)).rejects.toThrow("killed");
    expect(await listKept(...meetings)).toEqual(idsOf(...meetings.slice(50)));
    await run(0);
    expect((await listKept(...meetings)).length).toBe(70);
    await run(1);
    expect(await listKept(...meetings)).toEqual([]);
  });

  test("of several processes deletes once, and 1,000 meetings at most", async () => {
    await server.db.execute(sql`
      with made as (insert into recordings (id, workspace_id, state)
        select 'mtg_many_' || n, ${company.workspaceId}, 'completed' from generate_series(1, 1010) n returning id)
      insert into meetings (id, user_id, workspace_id, title, start_time)
      select id, ${anna.userId}, ${company.workspaceId}, 'Many', now() - interval '90 days' from made`);
    await set(30);
    await server.db.update(schema.retentionRules).set({ nextRunAt: sql`now()` });
    const { signal } = new AbortController();
    await Promise.all([runRetention(server.db, signal), runRetention(server.db, signal)]);
    expect(await server.db.$count(schema.meetings, eq(schema.meetings.userId, anna.userId))).toBe(10);
    expect(await server.db.$count(schema.auditLog, sql`object like 'mtg_many_%'`)).toBe(1_000);
    await run(1);
    expect(await server.db.$count(schema.meetings, eq(schema.meetings.userId, anna.userId))).toBe(0);
  });
});

describe("rules", () => {
  test("200: set, listed, changed, deleted, recorded; one per tag", async () => {
    const all = await set(365);
    const tagged = await set(30, "  Interviews ");
    expect(await set(400)).toMatchObject({ id: all.id, days: 400, tag: null });
    const [, list] = await ask(company.admin, "list");
    expect(list).toMatchObject({
      rules: [
        { id: all.id, days: 400 },
        { id: tagged.id, tag: "Interviews" },
      ],
    });
    expect(await ask(company.admin, "delete", { ruleId: tagged.id })).toEqual([200, { success: true }]);
    expect(await ask(company.admin, "delete", { ruleId: tagged.id })).toEqual([
      404,
      "No such retention rule.",
    ]);
    expect((await ask(company.admin, "list"))[1]).toMatchObject({ rules: [{ id: all.id }] });
    const entries = await server.db
      .select({ action: schema.auditLog.action, object: schema.auditLog.object })
      .from(schema.auditLog)
      .where(and(eq(schema.auditLog.shownIn, company.workspaceId), sql`action like 'retention.%'`))
      .orderBy(schema.auditLog.id);
    expect(entries).toEqual([
      { action: "retention.set", object: all.id },
      { action: "retention.set", object: tagged.id },
      { action: "retention.set", object: all.id },
      { action: "retention.delete", object: tagged.id },
    ]);
  });

  test("403 and 404: members, and admins of other workspaces", async () => {
    const rule = await set(30);
    const onlyAdmins = [403, "Only a workspace admin can do this."];
    expect(await ask(anna, "list")).toEqual(onlyAdmins);
    expect(await ask(anna, "set", { days: 1 })).toEqual(onlyAdmins);
    expect(await ask(anna, "preview", {})).toEqual(onlyAdmins);
    const other = await given.company();
    for (const who of [anna, other.admin])
      expect(await ask(who, "delete", { ruleId: rule.id })).toEqual([404, "No such retention rule."]);
    expect(await ask(other.admin, "list")).toEqual([200, { rules: [] }]);
  });

  test("400: days out of range; 409: more than 50 rules", async () => {
    for (const days of [0, -1, 1.5, 36_501]) expect((await ask(company.admin, "set", { days }))[0]).toBe(400);
    await server.db.execute(sql`insert into retention_rules (id, workspace_id, tag, days, next_run_at)
      select 'ret_' || n || ${company.workspaceId}, ${company.workspaceId}, 'Tag ' || n, 10, now()
      from generate_series(1, 50) n`);
    expect(await ask(company.admin, "set", { days: 10, tag: "One more" })).toEqual([
      409,
      "A workspace can have 50 retention rules. Delete one first.",
    ]);
    expect((await ask(company.admin, "set", { days: 11, tag: "Tag 1" }))[0]).toBe(200);
  });

  test("200: a preview counts what a rule would delete, says nothing about meetings, and changes nothing", async () => {
    const secret = "Canary-7f3a";
    await given.meeting(anna, { title: secret, startTime: daysAgo(40) });
    await old(anna, 40, "Brief");
    await set(100);
    const before = await server.db.select().from(schema.retentionRules);
    expect(await preview()).toMatchObject({ meetings: 0, held: 0, nextRunAt: before[0]?.nextRunAt });
    const [, all] = await ask(company.admin, "preview", { days: 30 });
    expect(all).toMatchObject({ meetings: 2, held: 0 });
    expect(JSON.stringify(all)).not.toContain(secret);
    expect(await preview({ days: 30, tag: "Brief" })).toMatchObject({ meetings: 1 });
    expect(await preview({ days: 30, tag: "Unknown" })).toMatchObject({ meetings: 0 });
    expect(await server.db.select().from(schema.retentionRules)).toEqual(before);
    expect(await server.db.$count(schema.meetings, eq(schema.meetings.userId, anna.userId))).toBe(2);
  });

  test("200: the resources of a signed-in user", async () => {
    const rest = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${server.url}/rest/v1/retention${path}`, {
        method,
        headers: {
          authorization: `Bearer ${await given.session(company.admin)}`,
          "content-type": "application/json",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return [response.status, await response.json()] as const;
    };
    const { meetingId } = await old(anna, 40);
    const [status, rule] = await rest("PUT", "/rules", { days: 90 });
    expect([status, rule]).toEqual([200, expect.objectContaining({ days: 90, tag: null })]);
    expect(await rest("GET", "/preview?days=30")).toEqual([200, expect.objectContaining({ meetings: 1 })]);
    expect((await rest("PUT", `/holds/${meetingId}`, {}))[0]).toBe(200);
    expect(await rest("GET", `/holds/${meetingId}`)).toEqual([200, { held: true, mayRelease: true }]);
    expect((await rest("DELETE", `/holds/${meetingId}`))[0]).toBe(200);
    expect((await rest("DELETE", `/rules/${(rule as RetentionRule).id}`))[0]).toBe(200);
    expect(await rest("GET", "/rules")).toEqual([200, { rules: [] }]);
  });
});

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

import type { WebhookEventName } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  asWorkspace,
  type Company,
  createPersonalWebhook,
  createWebhookScene,
  type Meeting,
  type Person,
  type WebhookScene,
  waitForFeed,
} from "@minutes/testing";
import { and, eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { untagMeeting } from "../../meetings/tags/index.js";
import { setRetentionRule } from "./rules.js";
import { runRetention } from "./run.js";
import { createRetentionCalls, daysAgo, idsOf } from "./testing/calls.js";

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

const { ask, old, set, preview, run, listKept } = createRetentionCalls(() => ({ server, company }));

describe("a run", () => {
  test("begins a day from now for a rule that was set while the clock was 40 days ahead", async () => {
    await set(30);
    await run(-40 * 24);
    const dueIn = (time: string) =>
      server.db.$count(
        schema.retentionRules,
        sql`${schema.retentionRules.nextRunAt} <= now() + ${time}::interval`,
      );
    expect([await dueIn("1 day"), await dueIn("23 hours")]).toEqual([1, 0]);
  });

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
        if (name === "transaction") batches += 1;
        if (batches > 1) throw new Error("killed");
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

  test("that fails is due again, and doesn't keep other workspaces from theirs", async () => {
    const mine = await old(anna, 40);
    await set(30);
    const other = await given.company();
    const theirs = await given.meeting(await given.member(other), { startTime: daysAgo(40) });
    await setRetentionRule(server.db, asWorkspace(other.workspaceId), { days: 30 });
    const [first, second] = company.workspaceId < other.workspaceId ? [mine, theirs] : [theirs, mine];
    const failing = new Proxy(server.db, {
      get: (db, name) => {
        if (name !== "transaction") return Reflect.get(db, name);
        return (work: (tx: Database) => Promise<unknown>) =>
          db.transaction(async (tx) => {
            await work(tx);
            if ((await tx.$count(schema.meetings, eq(schema.meetings.id, first.meetingId))) === 0)
              throw new Error("failed");
          });
      },
    });
    await expect(run(25, failing)).rejects.toThrow("failed");
    expect(await listKept(first, second)).toEqual(idsOf(first));
    await run(0);
    expect(await listKept(first)).toEqual([]);
  });

  test("that is stopped continues behind the meetings it looked at; a run that looked at all starts over", async () => {
    await server.db.execute(sql`
      with made as (insert into recordings (id, workspace_id, state)
        select 'mtg_kept_' || n, ${company.workspaceId}, 'completed' from generate_series(1, 1100) n returning id),
      stored as (insert into meetings (id, user_id, workspace_id, title, start_time)
        select id, ${anna.userId}, ${company.workspaceId}, 'Kept', now() - interval '90 days' from made returning id, start_time),
      tag as (insert into tags (id, user_id, name, color) values ('tag_kept', ${anna.userId}, 'Legal', '#000000') returning id)
      insert into meeting_tags (tag_id, meeting_id, owner_id, start_time)
      select tag.id, stored.id, ${anna.userId}, stored.start_time from stored, tag`);
    const newest = await given.meeting(anna, { startTime: daysAgo(40) });
    await set(30);
    await set(365, "Legal");
    await server.db.update(schema.retentionRules).set({ nextRunAt: sql`now() - interval '1 second'` });
    let asked = 0;
    // Aborts after the page of the tag's rule and the first thousand of the other one.
    await runRetention(server.db, {
      get aborted() {
        return ++asked > 3;
      },
    } as AbortSignal);
    expect(await listKept(newest)).toEqual(idsOf(newest));
    await untagMeeting(server.db, OPERATOR, "mtg_kept_1", "tag_kept");
    const countKept = () => server.db.$count(schema.meetings, sql`id like 'mtg_kept_%'`);
    await run(1);
    expect([await listKept(newest), await countKept()]).toEqual([[], 1_100]);
    await run(1);
    expect(await countKept()).toBe(1_099);
  });

  test("deletes as many meetings as its preview counts, whatever the rules and tags", async () => {
    const names = ["A", "B", "C"];
    for (const [at, tags] of [[], ["A"], ["B"], ["C"], ["A", "B"], ["A", "C"], ["B", "C"], names].entries())
      for (const days of [15, 25, 45]) await old(anna, days + at / 100, ...tags);
    await set(20, "A");
    await set(20, "B");
    await set(40, "C");
    await set(30);
    const { meetings } = await preview();
    const before = await server.db.$count(schema.meetings, eq(schema.meetings.userId, anna.userId));
    await run();
    const after = await server.db.$count(schema.meetings, eq(schema.meetings.userId, anna.userId));
    // A or B without C from 20 days on, C from 40, and no tag from 30.
    expect([meetings, before - after]).toEqual([6 + 4 + 1, 6 + 4 + 1]);
  });

  test("of several processes deletes once, and 1,000 meetings at most", async () => {
    await server.db.execute(sql`
      with made as (insert into recordings (id, workspace_id, state)
        select 'mtg_many_' || n, ${company.workspaceId}, 'completed' from generate_series(1, 1010) n returning id)
      insert into meetings (id, user_id, workspace_id, title, start_time)
      select id, ${anna.userId}, ${company.workspaceId}, 'Many', now() - interval '90 days' from made`);
    await set(30);
    await server.db.update(schema.retentionRules).set({ nextRunAt: sql`now() - interval '1 second'` });
    const { signal } = new AbortController();
    await Promise.all([runRetention(server.db, signal), runRetention(server.db, signal)]);
    expect(await server.db.$count(schema.meetings, eq(schema.meetings.userId, anna.userId))).toBe(10);
    expect(await server.db.$count(schema.auditLog, sql`object like 'mtg_many_%'`)).toBe(1_000);
    await run(1);
    expect(await server.db.$count(schema.meetings, eq(schema.meetings.userId, anna.userId))).toBe(0);
  });
});

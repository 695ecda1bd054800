import { schema } from "@minutes/db";
import { completeMeeting, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { asc, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { setPlan } from "../../workspaces/index.js";
import { deleteWebhook, disableWebhook, enableWebhook, listDeliveries, redeliver } from "../index.js";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
  await scene.worker();
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(() => scene.close());

const page = (webhookId: string) => listDeliveries(scene.db, OPERATOR, { webhookId, limit: 50 });

describe("disabled and deleted webhooks, owners who left", () => {
  test.each([
    ["disabled", disableWebhook],
    ["deleted", deleteWebhook],
  ])("%s: pending deliveries are skipped, and only attempts in flight are completed", async (_name, stop) => {
    const { url, received, close } = await scene.receiver(() => undefined);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await scene.db.execute(sql`with e as (insert into webhook_events (data) values ('{}') returning id)
        insert into deliveries (webhook_id, event_id) select ${id}, e.id from e, generate_series(1, 30)`);
    await scene.db.execute(sql`select pg_notify('minutes_deliveries', '')`);
    await expect.poll(() => received.length).toBe(8); // the share of one webhook
    await stop(scene.db, OPERATOR, id);
    expect(new Set(await scene.states(id))).toEqual(new Set(["skipped"]));
    await close();
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(received).toHaveLength(8);
    expect(await scene.states(id)).toEqual(Array(30).fill("skipped"));
    expect((await completeMeeting(scene.db, anna)).enqueued).toBe(0);
  });

  test("an enabled webhook receives meetings completed from then on", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await disableWebhook(scene.db, OPERATOR, id);
    await completeMeeting(scene.db, anna);
    await enableWebhook(scene.db, OPERATOR, id);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => scene.states(id)).toEqual(["delivered"]);
    expect(received).toHaveLength(1);
  });

  test("a delivery enqueued while its webhook was being disabled is skipped, not sent", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    // As if the two transactions had run concurrently: the webhook is disabled, the delivery pending.
    await scene.db.update(schema.webhooks).set({ disabledAt: sql`now()` }).where(sql`id = ${id}`);
    await scene.db.execute(sql`with e as (insert into webhook_events (data) values ('{}') returning id)
      insert into deliveries (webhook_id, event_id) select ${id}, id from e`);
    await scene.db.execute(sql`select pg_notify('minutes_deliveries', '')`);
    await expect.poll(() => scene.states(id)).toEqual(["skipped"]);
    expect(received).toEqual([]);
  });

  test("a workspace gets no retry for a meeting whose owner has left", async () => {
    const { url, received } = await scene.receiver(() => 500);
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    const { id } = await scene.workspaceWebhook(company, url);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => scene.states(id)).toEqual(["failed"]);
    const before = received.length;
    await scene.given.leaves(anna);
    const [delivery] = (await page(id)).deliveries;
    await redeliver(scene.db, OPERATOR, delivery?.id ?? "");
    await expect.poll(() => scene.states(id)).toEqual(["skipped"]);
    expect(received).toHaveLength(before);
  });

  test("after a downgrade to a plan without webhooks there is no event and no retry", async () => {
    const { url, received } = await scene.receiver(() => 500);
    const company = await scene.given.company();
    const { id } = await scene.workspaceWebhook(company, url);
    await completeMeeting(scene.db, company.admin);
    await expect.poll(() => scene.states(id)).toEqual(["failed"]);
    await setPlan(scene.db, OPERATOR, company.workspaceId, "free");
    const [delivery] = (await page(id)).deliveries;
    await redeliver(scene.db, OPERATOR, delivery?.id ?? "");
    await expect.poll(() => scene.states(id)).toEqual(["skipped"]);
    expect(received).toHaveLength(5);
    expect((await completeMeeting(scene.db, company.admin)).enqueued).toBe(0);
  });

  test("deleting a meeting cancels its pending deliveries and leaves no copy of its content", async () => {
    const alone = await createWebhookScene();
    try {
      const { url, received } = await alone.receiver(() => 500);
      const slow = { retryDelays: [60, 60, 60, 60] };
      await alone.worker(slow);
      const anna = await alone.given.person();
      const { id } = await alone.personalWebhook(anna, url);
      const { meetingId } = await completeMeeting(alone.db, anna, {
        title: "turbine-title",
        transcript: [{ speakerId: "s", speakerName: "S", text: "turbine-text" }],
        summary: { markdown: "turbine-summary" },
      });
      const now = async () =>
        (await listDeliveries(alone.db, OPERATOR, { webhookId: id, limit: 5 })).deliveries[0];
      await expect.poll(async () => (await now())?.attempts).toBe(1);
      expect(received[0]?.body).toContain("turbine-text");
      expect(await tablesWith(alone.db, "turbine")).toContain("webhook_events");
      await alone.db.delete(schema.meetings).where(sql`id = ${meetingId}`);
      expect(await tablesWith(alone.db, "turbine")).toEqual([]);
      expect(await now()).toMatchObject({ state: "canceled", meetingId, attempts: 1, nextAttemptAt: null });
      await alone.db.update(schema.deliveries).set({ dueAt: sql`now() - interval '1 second'` });
      await alone.db.execute(sql`select pg_notify('minutes_deliveries', '')`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(received).toHaveLength(1);
      await expect(redeliver(alone.db, OPERATOR, (await now())?.id ?? "")).rejects.toThrow(
        "content of this delivery",
      );
    } finally {
      await alone.close();
    }
  });
});

/** Lists the tables that contain a text. */
async function tablesWith(db: WebhookScene["db"], text: string): Promise<string[]> {
  const tables = await db
    .select({ name: sql<string>`tablename` })
    .from(sql`pg_tables where schemaname = 'public'`)
    .orderBy(asc(sql`tablename`));
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await db
      .select({ one: sql`1` })
      .from(sql`${sql.identifier(name)} t where t::text like ${`%${text}%`} limit 1`);
    if (rows.length > 0) found.push(name);
  }
  return found;
}

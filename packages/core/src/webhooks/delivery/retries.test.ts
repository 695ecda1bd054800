import { schema } from "@minutes/db";
import { completeMeeting, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { getDelivery, listDeliveries } from "../index.js";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
  await scene.worker();
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(() => scene.close());

const page = (webhookId: string) => listDeliveries(scene.db, OPERATOR, { webhookId, limit: 50 });

describe("retries", () => {
  test("five attempts with one id and one body, each with its own signature, then failed", async () => {
    const { url, received } = await scene.receiver(() => 503);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => scene.states(id)).toEqual(["failed"]);
    expect(received).toHaveLength(5);
    expect(new Set(received.map(({ body }) => body)).size).toBe(1);
    const [delivery] = (await page(id)).deliveries;
    const { attempts } = await getDelivery(scene.db, OPERATOR, delivery?.id ?? "");
    expect(attempts).toEqual(
      [1, 2, 3, 4, 5].map((number) => ({
        number,
        startedAt: expect.stringMatching(/Z$/),
        milliseconds: expect.any(Number),
        status: 503,
        error: "status",
      })),
    );
    expect(delivery).toMatchObject({ attempts: 5, finishedAt: expect.any(String), nextAttemptAt: null });
  });

  test("attempts are made immediately, then after 10 s, 60 s, 10 min and 1 h", async () => {
    const alone = await createWebhookScene();
    const retryDelays = [10, 60, 600, 3600];
    try {
      const { url, received } = await alone.receiver(() => 500);
      await alone.worker({ retryDelays });
      const anna = await alone.given.person();
      const { id } = await alone.personalWebhook(anna, url);
      await completeMeeting(alone.db, anna);
      const waits: number[] = [];
      for (const attempt of [1, 2, 3, 4]) {
        await expect.poll(() => received.length).toBe(attempt);
        const due = () =>
          alone.db
            .select({
              s: sql<number>`extract(epoch from due_at - now())::float8`,
              attempts: schema.deliveries.attempts,
            })
            .from(schema.deliveries);
        await expect.poll(async () => (await due())[0]?.attempts).toBe(attempt);
        const left = (await due())[0]?.s ?? 0; // Some of the delay is over, more on a slow machine.
        waits.push(retryDelays.find((delay) => left <= delay && left > delay / 2) ?? left);
        await alone.db.update(schema.deliveries).set({ dueAt: sql`now() - interval '1 second'` });
        await alone.db.execute(sql`select pg_notify('minutes_deliveries', '')`);
      }
      expect(waits).toEqual(retryDelays);
      await expect
        .poll(
          async () =>
            (await listDeliveries(alone.db, OPERATOR, { webhookId: id, limit: 5 })).deliveries[0]?.state,
        )
        .toBe("failed");
    } finally {
      await alone.close();
    }
  });

  test("no attempt follows a successful retry", async () => {
    const { url, received } = await scene.receiver(({ id }) =>
      received.filter((one) => one.id === id).length < 3 ? 500 : 204,
    );
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => scene.states(id)).toEqual(["delivered"]);
    expect(received).toHaveLength(3);
  });

  test.each([300, 301, 302, 303, 304, 305, 306, 307, 308])(
    "%i is a failure and is not followed",
    async (status) => {
      const elsewhere = await scene.receiver();
      const { url, received } = await scene.receiver((_got, _request, response) => {
        response.writeHead(status, { location: elsewhere.url }).end();
        return undefined;
      });
      const anna = await scene.given.person();
      const { id } = await scene.personalWebhook(anna, url);
      await completeMeeting(scene.db, anna);
      await expect.poll(() => scene.states(id)).toEqual(["failed"]);
      expect(received).toHaveLength(5);
      expect(elsewhere.connections()).toBe(0);
      const [delivery] = (await page(id)).deliveries;
      const { attempts } = await getDelivery(scene.db, OPERATOR, delivery?.id ?? "");
      expect(attempts[0]).toMatchObject({ status, error: "redirect" });
    },
  );
});

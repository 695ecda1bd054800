import { createHmac } from "node:crypto";
import { MeetingCompleted } from "@minutes/contract";
import {
  asUser,
  completeMeeting,
  createWebhookScene,
  listKeyPaths,
  type WebhookScene,
} from "@minutes/testing";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import {
  disableWebhook,
  getDelivery,
  listDeliveries,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  sendTest,
} from "../index.js";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
  await scene.worker();
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(() => scene.close());

const page = (webhookId: string) => listDeliveries(scene.db, OPERATOR, { webhookId, limit: 50 });

describe("test deliveries and redeliveries", () => {
  test("a test delivery is sent like any other, with a realistic sample", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const { deliveryId } = await sendTest(scene.db, asUser(anna.userId), id);
    await expect.poll(() => received.length).toBe(1);
    expect(received[0]?.id).toBe(deliveryId);
    const body = JSON.parse(received[0]?.body ?? "");
    expect(MeetingCompleted.parse(body)).toEqual(body);
    await completeMeeting(scene.db, anna, {
      endTime: "2025-03-14T10:15:00Z",
      transcript: [{ speakerId: "s", speakerName: "S", text: "t" }],
      tasks: [{ text: "t", assignee: { name: "S" } }, { text: "u" }],
      tags: [{ name: "x" }],
      calendarEvent: { attendees: [{ name: "A", email: "a@example.com" }] },
    });
    await expect.poll(() => received.length).toBe(2);
    expect(listKeyPaths(JSON.parse(received[1]?.body ?? ""))).toEqual(listKeyPaths(body));
  });

  test("a redelivery has the same id and body, signed with the current secret", async () => {
    let status = 500;
    const { url, received } = await scene.receiver(() => status);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await completeMeeting(scene.db, anna);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => scene.states(id)).toEqual(["failed", "failed"]);
    status = 200;
    const [second, first] = (await page(id)).deliveries;
    const { secret } = await regenerateSecret(scene.db, scene.settings, OPERATOR, id);
    await redeliver(scene.db, OPERATOR, first?.id ?? "");
    await expect.poll(() => scene.states(id)).toEqual(["failed", "delivered"]);
    const bodies = received.filter((one) => one.id === first?.id);
    expect(bodies).toHaveLength(6);
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
    const [, t, v0] =
      /^t=(\d+),v0=(\w+),v0=\w+$/.exec(String(bodies.at(-1)?.headers["x-service-signature"])) ?? [];
    expect(createHmac("sha256", secret).update(`${t}.${bodies[0]?.body}`).digest("hex")).toBe(v0);

    const range = { from: second?.createdAt ?? "", to: "2999-01-01T00:00:00.000Z" };
    expect(await redeliverFailed(scene.db, OPERATOR, id, range)).toEqual({ redelivered: 1 });
    await expect.poll(() => scene.states(id)).toEqual(["delivered", "delivered"]);
  });

  test("a redelivery has five attempts", async () => {
    const { url, received } = await scene.receiver(() => 500);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const { deliveryId } = await sendTest(scene.db, OPERATOR, id);
    await expect.poll(() => scene.states(id)).toEqual(["failed"]);
    await redeliver(scene.db, OPERATOR, deliveryId);
    await expect.poll(() => received.length).toBe(10);
    await expect.poll(() => scene.states(id)).toEqual(["failed"]);
    const { attempts } = await getDelivery(scene.db, OPERATOR, deliveryId);
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("409: the delivery is pending, or its webhook is disabled", async () => {
    const { url } = await scene.receiver(() => undefined);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const { deliveryId } = await sendTest(scene.db, OPERATOR, id);
    await expect(redeliver(scene.db, OPERATOR, deliveryId)).rejects.toThrow("still pending");
    await disableWebhook(scene.db, OPERATOR, id);
    await expect(redeliver(scene.db, OPERATOR, deliveryId)).rejects.toThrow("is disabled");
    await expect(sendTest(scene.db, OPERATOR, id)).rejects.toThrow("is disabled");
  });
});

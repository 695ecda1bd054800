import {
  completeMeeting,
  createWebhookScene,
  type Receiver,
  startWebhookReceiver,
  type WebhookScene,
} from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyWebhook } from "./webhooks.js";

/** Verifies deliveries received by a real HTTPS server, as its owner would. */
let scene: WebhookScene;
let receiver: Receiver;
beforeAll(async () => {
  scene = await createWebhookScene();
  const answer = () => (receiver.received.length === 1 ? 503 : 204);
  receiver = await startWebhookReceiver(await scene.ca.issue(), answer);
});
afterAll(async () => {
  await scene.close();
  await receiver.close();
});

test("a retry an hour later has a new timestamp and the same id and body; the first signature has expired by then", async () => {
  const later = Date.now();
  let clock = later - 3_600_000;
  await scene.worker({ now: () => clock, retryDelays: [3600, 3600, 3600, 3600] });
  const anna = await scene.given.person();
  const { secret } = await scene.personalWebhook(anna, receiver.url);
  const { meetingId } = await completeMeeting(scene.db, anna, { title: "Zoë's café 🎉" });
  await expect.poll(() => receiver.received.length).toBe(1);
  clock = later;
  await expect.poll(() => scene.anHourPasses()).toBe(1);
  await expect.poll(() => receiver.received.length).toBe(2);

  const [first, second] = receiver.received;
  if (!first || !second) throw new Error("Two attempts were made.");
  expect(second.body).toBe(first.body);
  expect(second.id).toBe(first.id);
  const times = [first, second].map(
    ({ headers }) => /^t=(\d+),/.exec(String(headers["x-service-signature"]))?.[1],
  );
  expect(times.map(Number)).toEqual([Math.floor(later / 1000) - 3_600, Math.floor(later / 1000)]);
  const event = await verifyWebhook(second.body, second.headers, secret);
  expect(event).toMatchObject({
    metadata: { id: second.id },
    data: { id: meetingId, title: "Zoë's café 🎉" },
  });
  await expect(verifyWebhook(first.body, first.headers, secret)).rejects.toMatchObject({ code: "expired" });
  const then = { now: () => later - 3_600_000 };
  expect(await verifyWebhook(first.body, first.headers, secret, then)).toEqual(event);
});

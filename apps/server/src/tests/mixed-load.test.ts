import { createIngestKey, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startMaintenance } from "../operations/maintenance.js";
import { startTestServer } from "../testing/index.js";
import { findFailures, runMixedLoad } from "../testing/mixed-load.js";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
});
afterAll(() => scene.close());

test("200: every read, search, import and update for 2 seconds, while webhooks are delivered and tables vacuumed", async () => {
  const server = await startTestServer({ database: scene.database, webhooks: scene.settings });
  const company = await scene.given.company();
  const anna = await scene.given.member(company);
  const receiver = await scene.receiver();
  await scene.personalWebhook(anna, receiver.url);
  await scene.worker();
  const { key: ingestKey } = await createIngestKey(scene.db, company.admin.userId, "Load");
  const maintenance = startMaintenance(scene.db, { interval: 250 });
  const report = await runMixedLoad(
    { url: server.url, key: anna.key, ingestKey, email: anna.email },
    { rates: { reads: 40, searches: 2, imports: 4, updates: 6 }, connections: 16, seconds: 2 },
  );
  await maintenance.stop();
  expect(findFailures(report)).toEqual({});
  const imported = report.imports.statuses[200] ?? 0;
  await expect.poll(() => receiver.received.length).toBeGreaterThanOrEqual(imported);
  await server.close();
});

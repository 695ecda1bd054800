import { completeMeeting, createWebhookScene, openInbox, type WebhookScene } from "@minutes/testing";
import pino from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseConfig } from "../config/config.js";
import { createPublicUrl } from "../config/public-url.js";
import { createMailer, startDeliveries } from "./deliver.js";
import type { OpenDatabase } from "./installation.js";
import { createWatch } from "./watch/watch.js";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
});
afterAll(() => scene.close());

test("each failed delivery is logged and counted, even if no e-mail is sent within the hour", async () => {
  const lines: { msg: string; deliveryId?: string; webhookId?: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const env = parseConfig({ WEBHOOK_RETRY_DELAYS: "0.01,0.01,0.01,0.01", METRICS_TOKEN: "t".repeat(32) });
  const connection = await scene.database.connect();
  const watch = await createWatch(env, connection, log);
  const counted: string[] = [];
  const worker = await startDeliveries(
    { connection, webhooks: scene.settings, publicUrl: createPublicUrl(env) } as unknown as OpenDatabase,
    env,
    log,
    {
      ...watch,
      onFailedDelivery: () => {
        counted.push("one");
        watch.onFailedDelivery?.();
      },
    },
  );
  const anna = await scene.given.person();
  const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/");
  for (let number = 0; number < 3; number++) await completeMeeting(scene.db, anna);
  const findFailed = () => lines.filter(({ msg }) => msg === "webhook delivery failed for good");
  await expect.poll(() => findFailed().length).toBe(3);
  await worker?.stop();
  expect(new Set(findFailed().map(({ deliveryId }) => deliveryId)).size).toBe(3);
  for (const { webhookId } of findFailed()) expect(webhookId).toBe(id);
  expect(counted).toHaveLength(3);
  expect(JSON.stringify(lines)).not.toMatch(/@example\.com|127\.0\.0\.1/);
  await watch.stop();
});

test("an e-mail that the mail server doesn't take is reported without its address, and its sender learns of it", async () => {
  const inbox = await openInbox();
  inbox.full.add("ann@example.com");
  const faults: (string | null)[] = [];
  const settings = { SMTP_URL: inbox.url, SMTP_FROM: "Minutes <minutes@example.com>" };
  const mailer = createMailer(settings, (fault) => void faults.push(fault));
  const mail = { to: ["ann@example.com"], subject: "Hello", text: "Hello" };
  await expect(mailer?.(mail)).rejects.toThrow();
  await inbox.close();
  await expect(mailer?.(mail)).rejects.toThrow();
  expect(faults).toEqual([expect.stringContaining("EMESSAGE"), expect.stringContaining("ESOCKET")]);
  expect(faults.join()).not.toContain("@example.com");
});

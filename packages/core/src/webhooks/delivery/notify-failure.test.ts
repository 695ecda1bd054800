import type { AddressInfo } from "node:net";
import { schema } from "@minutes/db";
import { createWebhookScene, type WebhookScene } from "@minutes/testing";
import { eq, sql } from "drizzle-orm";
import { SMTPServer } from "smtp-server";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { createSmtpMailer } from "../../lib/mailer.js";
import { joinWorkspace } from "../../workspaces/index.js";
import { resumeWebhook } from "../index.js";
import { notifyFailure } from "./notify-failure.js";
import { pauseWebhook, sendPauseMails } from "./pause.js";

interface Message {
  readonly to: string[];
  readonly text: string;
}

let scene: WebhookScene;
let smtp: SMTPServer;
let url: string;
let refuse = false;
const inbox: Message[] = [];
const notices: boolean[] = [];
beforeAll(async () => {
  scene = await createWebhookScene();
  smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData: (stream, session, done) => {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        if (refuse) return done(Object.assign(new Error("full"), { responseCode: 452 }));
        inbox.push({
          to: session.envelope.rcptTo.map(({ address }) => address).sort(),
          text: Buffer.concat(chunks).toString("utf8"),
        });
        done();
      });
    },
  });
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  url = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  await scene.close();
  await new Promise<void>((resolve) => smtp.close(resolve));
});
afterEach(() => {
  inbox.length = 0;
  notices.length = 0;
  refuse = false;
});

const notice = () => ({
  mailer: createSmtpMailer({ url, from: "Minutes <minutes@example.com>" }),
  onPause: (_webhookId: string, sent: boolean) => void notices.push(sent),
  onNotice: (_failed: unknown, sent: boolean) => void notices.push(sent),
});
const fails = (webhookId: string, deliveryId = "1") =>
  notifyFailure(scene.db, notice(), { webhookId, deliveryId });
const anHourPasses = () =>
  scene.db.update(schema.webhooks).set({ failureMailAt: sql`failure_mail_at - interval '1 hour'` });

describe("the failure e-mail", () => {
  test("is sent to a personal webhook's creator, names the webhook, and contains neither its path nor content", async () => {
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/path?token=hidden");
    await fails(id, "42");
    expect(inbox).toHaveLength(1);
    expect(inbox[0]?.to).toEqual([anna.email]);
    expect(inbox[0]?.text).toContain("127.0.0.1:9");
    expect(inbox[0]?.text).toContain("42");
    expect(inbox[0]?.text).not.toMatch(/hidden|path/);
  });

  test("is sent to all admins of a workspace, and to no other member", async () => {
    const company = await scene.given.company();
    const second = await scene.given.person();
    await joinWorkspace(scene.db, OPERATOR, second.userId, company.workspaceId, "admin");
    await scene.given.member(company);
    const { id } = await scene.workspaceWebhook(company, "https://127.0.0.1:9/");
    await fails(id);
    expect(inbox.map(({ to }) => to)).toEqual([[company.admin.email, second.email].sort()]);
  });

  test("is sent once an hour per webhook, however many deliveries fail concurrently", async () => {
    const anna = await scene.given.person();
    const hooks = [
      await scene.personalWebhook(anna, "https://127.0.0.1:9/1"),
      await scene.personalWebhook(anna, "https://127.0.0.1:9/2"),
    ];
    const storm = () => Promise.all(hooks.flatMap(({ id }) => Array.from({ length: 20 }, () => fails(id))));
    await storm();
    expect(inbox).toHaveLength(2);
    await scene.db
      .update(schema.webhooks)
      .set({ failureMailAt: sql`failure_mail_at - interval '59 minutes'` });
    await storm();
    expect(inbox).toHaveLength(2);
    await scene.db.update(schema.webhooks).set({ failureMailAt: sql`failure_mail_at - interval '1 minute'` });
    await storm();
    expect(inbox).toHaveLength(4);
  });

  test("is sent again after exactly one hour, by one of two workers", async () => {
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/");
    const workers = [await scene.database.connect(), await scene.database.connect()];
    const both = () =>
      Promise.all(
        workers.flatMap(({ db }) =>
          Array.from({ length: 5 }, () => notifyFailure(db, notice(), { webhookId: id, deliveryId: "1" })),
        ),
      );
    const lastMail = (ago: string) =>
      scene.db
        .update(schema.webhooks)
        .set({ failureMailAt: sql`clock_timestamp() - ${ago}::interval` })
        .where(eq(schema.webhooks.id, id));
    await lastMail("59 minutes 30 seconds");
    await both();
    expect(inbox).toEqual([]);
    await lastMail("1 hour");
    await both();
    expect(inbox).toHaveLength(1);
  });

  test("is sent although the clock was 40 days ahead at the last one", async () => {
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/");
    await scene.db
      .update(schema.webhooks)
      .set({ failureMailAt: sql`clock_timestamp() + interval '40 days'` })
      .where(eq(schema.webhooks.id, id));
    await fails(id);
    await fails(id);
    expect(inbox).toHaveLength(1);
  });

  test("frees the hourly slot if it could not be sent", async () => {
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/");
    refuse = true;
    await expect(fails(id)).rejects.toThrow();
    refuse = false;
    await fails(id);
    await fails(id);
    expect(inbox).toHaveLength(1);
    expect(notices).toEqual([true]);
  });

  test("without a mail server the log gets a line, at the same rate", async () => {
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/");
    const told: unknown[] = [];
    const log = { mailer: null, onNotice: (...what: unknown[]) => void told.push(what) };
    for (let n = 0; n < 3; n++) await notifyFailure(scene.db, log, { webhookId: id, deliveryId: "7" });
    expect(told).toEqual([[{ webhookId: id, deliveryId: "7" }, false]]);
    await anHourPasses();
    await notifyFailure(scene.db, log, { webhookId: id, deliveryId: "8" });
    expect(told).toHaveLength(2);
  });
});

describe("the e-mail about a pause", () => {
  const policy = { failures: 10, hours: 24 };
  const exhaust = (id: string, more = {}) =>
    scene.db
      .update(schema.webhooks)
      .set({ failures: 10, failingSince: sql`now() - interval '24 hours'`, ...more })
      .where(eq(schema.webhooks.id, id));

  test("is sent once, names the webhook and says how to resume it, and contains neither its path nor content", async () => {
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/path?token=hidden");
    await exhaust(id);
    await Promise.all([1, 2, 3].map(() => pauseWebhook(scene.db, notice(), id, policy)));
    expect(inbox).toHaveLength(1);
    expect(inbox[0]?.to).toEqual([anna.email]);
    expect(inbox[0]?.text.replace(/=\r\n/g, "")).toContain(`webhooks resume ${id} --replay`);
    expect(inbox[0]?.text).not.toMatch(/hidden|path/);
    expect(notices).toEqual([true]);
  });

  test("is not sent if an attempt succeeded since, or the webhook was disabled", async () => {
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/");
    for (const more of [
      { failures: 9 },
      { failingSince: null },
      { failingSince: sql`now() - interval '23 hours'` },
      { disabledAt: sql`now()` },
    ]) {
      await exhaust(id, more);
      await pauseWebhook(scene.db, notice(), id, policy);
    }
    expect(inbox).toEqual([]);
  });

  test("is retried by a later run if the mail server refused it, once, and not after the webhook was resumed", async () => {
    const anna = await scene.given.person();
    const [{ id }, resumed] = [
      await scene.personalWebhook(anna, "https://127.0.0.1:9/"),
      await scene.personalWebhook(anna, "https://127.0.0.1:9/"),
    ];
    refuse = true;
    for (const webhookId of [id, resumed.id]) {
      await exhaust(webhookId);
      await expect(pauseWebhook(scene.db, notice(), webhookId, policy)).rejects.toThrow();
    }
    expect([inbox.length, notices]).toEqual([0, [false, false]]);
    await resumeWebhook(scene.db, OPERATOR, resumed.id, { replay: false });
    refuse = false;
    await Promise.all([1, 2, 3].map(() => sendPauseMails(scene.db, notice().mailer)));
    expect(inbox.map(({ text }) => text.includes(id))).toEqual([true]);
    // A second pause gets its own e-mail.
    await resumeWebhook(scene.db, OPERATOR, id, { replay: false });
    await exhaust(id);
    await pauseWebhook(scene.db, notice(), id, policy);
    expect([inbox.length, notices.at(-1)]).toEqual([2, true]);
  });
});

import { generateSecretsKey } from "@minutes/core";
import { createTestCa, createTestDatabase, givenOn, needs, openInbox, type TestCa } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parseConfig } from "../config/config.js";
import { minutesJson } from "../testing/installation.js";
import { minutes as minutesProcess, startProcess, startWorkerProcess } from "../testing/process.js";
import { createWebhookPlaces, type Made } from "../testing/webhook-installation.js";
import { crashWorkers } from "../testing/webhook-kills.js";

let ca: TestCa;
beforeAll(async () => {
  ca = await createTestCa();
});
afterAll(() => ca.remove());
const { installation, receiver } = createWebhookPlaces(() => ca);

describe("roles", needs("postgres"), () => {
  test("an api process sends nothing; a worker sends what it enqueued", async () => {
    const settings = await installation();
    const { url, received } = await receiver();
    const { id } = await minutesJson<Made>(["webhooks", "create", "a@example.com", url], settings);
    await minutesJson(["webhooks", "test", id, "--no-wait"], settings);
    const worker = await startWorkerProcess(settings);
    await expect.poll(() => received.length).toBe(1);
    expect((await worker.stop()).code).toBe(0);
  });

  test("a worker keeps the log for WEBHOOK_LOG_DAYS, by default 30, and mails about expiring keys", async () => {
    expect(parseConfig({}).WEBHOOK_LOG_DAYS).toBe(30);
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const settings = { DATABASE_URL: database.url ?? "", SECRETS_KEY: generateSecretsKey() };
    const left = async () =>
      (await database.connection.db.select({ id: sql<string>`id` }).from(sql`deliveries`)).length;
    await database.db.execute(
      sql`insert into users (id, email, name) values ('usr_x', 'x@example.com', 'X')`,
    );
    await database.db.execute(sql`insert into webhooks (id, kind, user_id, name, url, method, deleted_at)
      values ('whk_x', 'personal', 'usr_x', 'X', 'https://x.example/', 'signature', now())`);
    await database.db.execute(sql`insert into deliveries (id, webhook_id, state, created_at)
      values (1, 'whk_x', 'failed', now() - interval '3 days')`);
    const first = await startWorkerProcess(settings);
    await first.stop(); // which waits for its housekeeping
    expect(await left()).toBe(1);
    const inbox = await openInbox();
    onTestFinished(() => inbox.close());
    const { keyId, email } = await givenOn(database.db).person();
    await database.db.execute(
      sql`update api_keys set expires_at = now() + interval '2 days', created_at = now() - interval '9 days' where id = ${keyId}`,
    );
    const second = await startWorkerProcess({ ...settings, WEBHOOK_LOG_DAYS: "2", SMTP_URL: inbox.url });
    await expect.poll(() => inbox.mails.map(({ to }) => to)).toEqual([[email]]);
    await second.stop();
    expect(await left()).toBe(0);
  });

  test("a worker deletes what has expired, an api process doesn't", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const settings = {
      DATABASE_URL: database.url ?? "",
      SECRETS_KEY: generateSecretsKey(),
      AUDIT_LOG_DAYS: "1",
    };
    await database.db.execute(sql`insert into audit_log (actor, action, object, at)
      values ('operator', 'meeting.delete', 'mtg_x', now() - interval '3 days')`);
    const left = async () =>
      (await database.db.select({ id: sql<string>`id` }).from(sql`audit_log where object = 'mtg_x'`)).length;
    const api = await startProcess(settings, "--role", "api");
    await api.stop();
    expect(await left()).toBe(1);
    await startWorkerProcess(settings);
    await expect.poll(left).toBe(0);
  });

  test("exit code 2: a wrong WEBHOOK_CA_FILE ends an api process, too", async () => {
    const settings = { ...(await installation()), PORT: "0", WEBHOOK_CA_FILE: "/no/such/file" };
    const { code, stdout, stderr } = await minutesProcess(["start", "--role", "api"], settings);
    const sentence = "WEBHOOK_CA_FILE must be a file of certificates in PEM form that this user can read.\n";
    expect([code, stdout, stderr]).toEqual([2, "", sentence]);
  });

  test("a worker without SECRETS_KEY sends no webhooks, and does the rest of its work", async () => {
    const { SECRETS_KEY: _, ...settings } = await installation();
    const worker = await startWorkerProcess(settings);
    expect(worker.output.stdout).toContain("webhooks are off: SECRETS_KEY is not set");
  });

  test("nothing is lost when workers are killed: 300 events, 6 kills", async () => {
    const database = await createTestDatabase();
    onTestFinished(() => database.close());
    const report = await crashWorkers(database, { events: 300, kills: 6, failing: 5 });
    expect(report).toMatchObject({ lost: 0, wrongLogs: 0, states: { delivered: 300 } });
    expect(report.attemptsOfDeadWebhook).toEqual({ 5: report.states.failed });
    expect(report.receipts - report.recorded).toBeLessThanOrEqual(report.kills * report.concurrency);
  });
});

test("exit code 2: --role on the embedded database", needs("embedded"), async () => {
  const { code, stderr } = await minutesProcess(["start", "--role", "worker"], {});
  expect([code, stderr]).toEqual([
    2,
    "--role requires PostgreSQL: only one process can use the embedded database.\n",
  ]);
});

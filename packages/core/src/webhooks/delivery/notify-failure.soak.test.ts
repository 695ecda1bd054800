import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { schema } from "@minutes/db";
import { createWebhookScene, needs } from "@minutes/testing";
import { inArray, sql } from "drizzle-orm";
import { SMTPServer } from "smtp-server";
import { describe, expect, test } from "vitest";
import { createSmtpMailer } from "../../lib/mailer.js";

const WEBHOOKS = 20;
const FAILURES = 10_000;
const HOURS = 3;

describe("failure e-mails", needs("postgres"), () => {
  test("10,000 failures, four workers, three hours: at most one e-mail per hour and webhook", {
    timeout: 1_200_000,
  }, async () => {
    const scene = await createWebhookScene();
    let refusals = 0;
    const mails: string[] = [];
    const smtp = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      onData: (stream, _session, done) => {
        let text = "";
        stream.on("data", (chunk: Buffer) => {
          text += chunk.toString("utf8");
        });
        stream.on("end", () => {
          // Every fifth is refused, which must free its hourly slot.
          if (++refusals % 5 === 0) return done(Object.assign(new Error("busy"), { responseCode: 451 }));
          mails.push(/Webhook: +(whk_\w+)/.exec(text)?.[1] ?? "");
          done();
        });
      },
    });
    await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
    const url = `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
    const mailer = createSmtpMailer({ url, from: "minutes@example.com" });

    // Nothing listens there: each attempt fails immediately, and each delivery is at its last attempt.
    const closed = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => closed.once("listening", resolve));
    const { port } = closed.address() as AddressInfo;
    await new Promise((resolve) => closed.close(resolve));
    const webhooks: string[] = [];
    for (let n = 0; n < WEBHOOKS; n++) {
      const owner = await scene.given.person();
      webhooks.push((await scene.personalWebhook(owner, `https://127.0.0.1:${port}/`)).id);
    }
    for (let n = 0; n < 4; n++)
      await scene.worker({ notice: { mailer, onNotice: () => {}, onPause: () => {} } });
    const [event] = await scene.db.insert(schema.webhookEvents).values({ data: "{}" }).returning();

    const perHour: number[] = [];
    for (let hour = 0; hour < HOURS; hour++) {
      const failures = Math.ceil(FAILURES / HOURS);
      mails.length = 0;
      await scene.db.execute(sql`insert into deliveries (webhook_id, event_id, round)
        select (array[${sql.join(
          webhooks.map((id) => sql`${id}`),
          sql`, `,
        )}])[1 + i % ${WEBHOOKS}::int], ${String(event?.id)}::bigint, 4
        from generate_series(1, ${failures}::int) i`);
      await scene.db.execute(sql`select pg_notify('minutes_deliveries', '')`);
      const failed = async () => {
        const [row] = await scene.db
          .select({ count: sql<number>`count(*)::int` })
          .from(sql`deliveries where state = 'failed'`);
        return row?.count;
      };
      await expect.poll(failed, { timeout: 600_000, interval: 500 }).toBe(failures * (hour + 1));
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      expect(new Set(mails).size).toBe(mails.length);
      // A webhook whose last failures came while its refused e-mail was in flight has none this hour.
      expect(mails.filter((id) => !webhooks.includes(id))).toEqual([]);
      expect(mails.length).toBeGreaterThan(WEBHOOKS / 2);
      perHour.push(mails.length);
      await scene.db
        .update(schema.webhooks)
        .set({ failureMailAt: sql`failure_mail_at - interval '1 hour'` })
        .where(inArray(schema.webhooks.id, webhooks));
    }
    console.log(
      JSON.stringify({
        failures: FAILURES,
        webhooks: WEBHOOKS,
        mailsPerHour: perHour,
        refused: Math.floor(refusals / 5),
        faults: scene.faults.length,
      }),
    );
    await scene.close();
    await new Promise<void>((resolve) => smtp.close(resolve));
  });
});

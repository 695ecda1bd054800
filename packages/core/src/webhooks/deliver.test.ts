import { createHmac } from "node:crypto";
import { MeetingCompleted } from "@minutes/contract";
import { schema } from "@minutes/db";
import {
  completeMeeting,
  type Receiver,
  shapeOf,
  type WebhookScene,
  webhookReceiver,
  webhookScene,
} from "@minutes/testing";
import { asc, sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../actor.js";
import { setPlan } from "../workspaces/index.js";
import {
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  getDelivery,
  listDeliveries,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  sendTest,
} from "./index.js";

let scene: WebhookScene;
let certificate: Awaited<ReturnType<WebhookScene["ca"]["issue"]>>;
const open: Receiver[] = [];
beforeAll(async () => {
  scene = await webhookScene();
  certificate = await scene.ca.issue();
  await scene.worker();
});
afterAll(async () => {
  await scene.close();
});
afterEach(async () => {
  expect(scene.faults.splice(0)).toEqual([]);
  await Promise.all(open.splice(0).map((receiver) => receiver.close()));
});

const receiver = async (answer?: Parameters<typeof webhookReceiver>[1], cert = certificate) => {
  const started = await webhookReceiver(cert, answer);
  open.push(started);
  return started;
};
const page = (webhookId: string) => listDeliveries(scene.db, OPERATOR, { webhookId, limit: 50 });
const states = async (webhookId: string) => (await page(webhookId)).deliveries.map(({ state }) => state);

describe("meeting.completed", () => {
  test("the payload has every field that the contract and decision 20 name, and nothing else", async () => {
    const { url, received } = await receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const facts = {
      title: "Quarterly review",
      startTime: "2025-03-14T09:30:00.250Z",
      endTime: "2025-03-14T10:15:00Z",
      transcript: [
        {
          speakerId: "s1",
          speakerName: "Zoë",
          speakerEmail: "zoe@example.com",
          text: 'Said "hi" 🎉\u2028\n',
        },
        { speakerId: "s2", speakerName: "Guest", text: "Thanks." },
      ],
      summary: { markdown: "# Review\n\nThe **turbines**.", short: "Turbines." },
      tasks: [
        { text: "Call", assignee: { name: "Guest" } },
        { text: "Write", completed: true },
      ],
      tags: [{ name: "Review", color: "#112233" }],
      calendarEvent: {
        externalId: "cal",
        title: "Review (calendar)",
        attendees: [{ name: "Absent", email: "absent@example.com", responseStatus: "declined" as const }],
      },
    };
    const { meetingId, enqueued } = await completeMeeting(scene.db, anna, facts);
    expect(enqueued).toBe(1);
    await expect.poll(() => received.length).toBe(1);
    const body: unknown = JSON.parse(received[0]?.body ?? "");
    expect(MeetingCompleted.parse(body)).toEqual(body);
    expect(body).toEqual({
      metadata: {
        id: expect.stringMatching(/^[1-9]\d{0,18}$/),
        event: "meeting.completed",
        created: expect.any(Number),
      },
      data: {
        id: meetingId,
        title: "Quarterly review",
        startTime: "2025-03-14T09:30:00.250Z",
        endTime: "2025-03-14T10:15:00.000Z",
        user: { id: anna.userId, email: anna.email },
        summary: {
          markdown: "# Review\n\nThe **turbines**.",
          html: "<h1>Review</h1>\n<p>The <strong>turbines</strong>.</p>",
          short: "Turbines.",
        },
        transcript: [
          { speakerId: "s1", speakerName: "Zoë", text: 'Said "hi" 🎉\u2028\n' },
          { speakerId: "s2", speakerName: "Guest", text: "Thanks." },
        ],
        participants: [
          { id: "s1", name: "Zoë", email: "zoe@example.com" },
          { id: "s2", name: "Guest", email: null },
        ],
        tasks: [
          { content: "Call", completed: false, assignee: { name: "Guest", email: null } },
          { content: "Write", completed: true, assignee: null },
        ],
        tags: [{ name: "Review", color: "#112233" }],
        event: {
          id: expect.stringMatching(/^evt_/),
          externalId: "cal",
          title: "Review (calendar)",
          scheduledTime: "2025-03-14T09:30:00.250Z",
          endTime: "2025-03-14T10:15:00.000Z",
          attendees: [
            { name: "Absent", email: "absent@example.com", responseStatus: "declined", organizer: false },
          ],
        },
      },
    });
    await expect.poll(() => states(id)).toEqual(["delivered"]);
  });

  test("headers: one proof, and the delivery's id and event", async () => {
    const { url, received } = await receiver();
    const anna = await scene.given.person();
    const signed = await scene.personalWebhook(anna, `${url}?of=signature`);
    const keyed = await scene.personalWebhook(anna, `${url}?of=key`, { method: "api-key" });
    const custom = await scene.personalWebhook(anna, `${url}?of=custom`, {
      method: "api-key",
      headerName: "x-my-key",
    });
    await completeMeeting(scene.db, anna);
    await expect.poll(() => received.length).toBe(3);
    const by = (name: string) => received.find(({ path }) => path.endsWith(`=${name}`));
    const common = {
      "content-type": "application/json",
      "user-agent": expect.stringMatching(/^Minutes/),
      "service-event": "meeting.completed",
    };
    for (const one of received) {
      expect(one.headers).toMatchObject(common);
      expect(one.headers["service-delivery"]).toBe(JSON.parse(one.body).metadata.id);
    }
    expect(keyed.secret).toMatch(/^sk_\w{40,}$/);
    expect(by("key")?.headers["x-service-api-key"]).toBe(keyed.secret);
    expect(by("key")?.headers).not.toHaveProperty("x-service-signature");
    expect(by("custom")?.headers["x-my-key"]).toBe(custom.secret);
    expect(by("custom")?.headers).not.toHaveProperty("x-service-api-key");

    const [, t, v0] =
      /^t=(\d+),v0=([0-9a-f]{64})$/.exec(String(by("signature")?.headers["x-service-signature"])) ?? [];
    expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(30);
    expect(
      createHmac("sha256", signed.secret)
        .update(`${t}.${by("signature")?.body}`)
        .digest("hex"),
    ).toBe(v0);
  });

  test("goes to the owner's personal webhooks and his workspace's, and to nobody else's", async () => {
    const { url, received } = await receiver();
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    const other = await scene.given.member(company);
    const stranger = await scene.given.person();
    await scene.personalWebhook(anna, `${url}/anna`);
    await scene.personalWebhook(other, `${url}/other`);
    await scene.personalWebhook(stranger, `${url}/stranger`);
    await scene.workspaceWebhook(company, `${url}/company`);
    expect((await completeMeeting(scene.db, anna)).enqueued).toBe(2);
    await expect.poll(() => received.map(({ path }) => path).sort()).toEqual(["/hook/anna", "/hook/company"]);
    await scene.given.leaves(anna);
    expect((await completeMeeting(scene.db, anna)).enqueued).toBe(1); // her own
  });

  test("a locked summary is an empty one", async () => {
    const { url, received } = await receiver();
    const anna = await scene.given.person();
    await scene.personalWebhook(anna, url);
    await scene.db.transaction(async (tx) => {
      const { importMeeting, enqueueDeliveries } = await import("../index.js");
      const { MeetingImport } = await import("@minutes/contract");
      const { meetingId } = await importMeeting(
        tx,
        MeetingImport.parse({
          externalId: "locked",
          ownerEmail: anna.email,
          title: "Locked",
          startTime: "2025-03-14T09:30:00Z",
          summary: { markdown: "secret words" },
        }),
      );
      await tx.update(schema.summaries).set({ locked: true }).where(sql`meeting_id = ${meetingId}`);
      expect(await enqueueDeliveries(tx, meetingId)).toBe(1);
      // Once is enough.
      expect(await enqueueDeliveries(tx, meetingId)).toBe(0);
    });
    await expect.poll(() => received.length).toBe(1);
    expect(JSON.parse(received[0]?.body ?? "").data.summary).toEqual({ markdown: "", html: "", short: "" });
    expect(received[0]?.body).not.toContain("secret words");
  });

  test("nothing is sent of a transaction that does not commit", async () => {
    const { url, received } = await receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const rolledBack = scene.db.transaction(async (tx) => {
      await completeMeeting(tx, anna);
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    await completeMeeting(scene.db, anna);
    await expect.poll(() => received.length).toBe(1);
    expect(await states(id)).toHaveLength(1);
  });
});

describe("retries", () => {
  test("five attempts with one id and one body, each signed anew, then failed", async () => {
    const { url, received } = await receiver(() => 503);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => states(id)).toEqual(["failed"]);
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

  test("the decided schedule: at once, 10 s, 60 s, 10 min, 1 h", async () => {
    const alone = await webhookScene();
    try {
      const { url, received } = await receiver(() => 500, await alone.ca.issue());
      await alone.worker({ retryDelays: [10, 60, 600, 3600] });
      const anna = await alone.given.person();
      const { id } = await alone.personalWebhook(anna, url);
      await completeMeeting(alone.db, anna);
      const waits: number[] = [];
      for (const attempt of [1, 2, 3, 4]) {
        await expect.poll(() => received.length, { timeout: 5_000 }).toBe(attempt);
        const due = () =>
          alone.db
            .select({
              s: sql<number>`extract(epoch from due_at - now())::float8`,
              attempts: schema.deliveries.attempts,
            })
            .from(schema.deliveries);
        await expect.poll(async () => (await due())[0]?.attempts).toBe(attempt);
        waits.push(Math.round((await due())[0]?.s ?? 0));
        await alone.db.update(schema.deliveries).set({ dueAt: sql`now()` });
        await alone.db.execute(sql`select pg_notify('minutes_deliveries', '')`);
      }
      expect(waits).toEqual([10, 60, 600, 3600]);
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

  test("a retry that succeeds ends it", async () => {
    const { url, received } = await receiver(({ id }) =>
      received.filter((one) => one.id === id).length < 3 ? 500 : 204,
    );
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    expect(received).toHaveLength(3);
  });

  test.each([300, 301, 302, 303, 304, 305, 306, 307, 308])(
    "%i is a failure and is not followed",
    async (status) => {
      const elsewhere = await receiver();
      const { url, received } = await receiver((_got, _request, response) => {
        response.writeHead(status, { location: elsewhere.url }).end();
        return undefined;
      });
      const anna = await scene.given.person();
      const { id } = await scene.personalWebhook(anna, url);
      await completeMeeting(scene.db, anna);
      await expect.poll(() => states(id)).toEqual(["failed"]);
      expect(received).toHaveLength(5);
      expect(elsewhere.connections()).toBe(0);
      const [delivery] = (await page(id)).deliveries;
      const { attempts } = await getDelivery(scene.db, OPERATOR, delivery?.id ?? "");
      expect(attempts[0]).toMatchObject({ status, error: "redirect" });
    },
  );
});

describe("by hand", () => {
  test("a test send goes the same way, with a realistic sample", async () => {
    const { url, received } = await receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const { deliveryId } = await sendTest(scene.db, { kind: "user", userId: anna.userId }, id);
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
    expect(shapeOf(JSON.parse(received[1]?.body ?? ""))).toEqual(shapeOf(body));
  });

  test("redelivery sends the same id and body, signed with the secret of now", async () => {
    let status = 500;
    const { url, received } = await receiver(() => status);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await completeMeeting(scene.db, anna);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => states(id)).toEqual(["failed", "failed"]);
    status = 200;
    const [second, first] = (await page(id)).deliveries;
    const { secret } = await regenerateSecret(scene.db, scene.settings, OPERATOR, id);
    await redeliver(scene.db, OPERATOR, first?.id ?? "");
    await expect.poll(() => states(id)).toEqual(["failed", "delivered"]);
    const bodies = received.filter((one) => one.id === first?.id);
    expect(bodies).toHaveLength(6);
    expect(new Set(bodies.map(({ body }) => body)).size).toBe(1);
    const [, t, v0] = /^t=(\d+),v0=(\w+)$/.exec(String(bodies.at(-1)?.headers["x-service-signature"])) ?? [];
    expect(createHmac("sha256", secret).update(`${t}.${bodies[0]?.body}`).digest("hex")).toBe(v0);

    const range = { from: second?.createdAt ?? "", to: "2999-01-01T00:00:00.000Z" };
    expect(await redeliverFailed(scene.db, OPERATOR, id, range)).toEqual({ redelivered: 1 });
    await expect.poll(() => states(id)).toEqual(["delivered", "delivered"]);
  });

  test("redelivery has five attempts of its own", async () => {
    const { url, received } = await receiver(() => 500);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const { deliveryId } = await sendTest(scene.db, OPERATOR, id);
    await expect.poll(() => states(id)).toEqual(["failed"]);
    await redeliver(scene.db, OPERATOR, deliveryId);
    await expect.poll(() => received.length).toBe(10);
    await expect.poll(() => states(id)).toEqual(["failed"]);
    const { attempts } = await getDelivery(scene.db, OPERATOR, deliveryId);
    expect(attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test("409: while it is on its way, and when its webhook is disabled", async () => {
    const { url } = await receiver(() => undefined);
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const { deliveryId } = await sendTest(scene.db, OPERATOR, id);
    await expect(redeliver(scene.db, OPERATOR, deliveryId)).rejects.toThrow("still on its way");
    await disableWebhook(scene.db, OPERATOR, id);
    await expect(redeliver(scene.db, OPERATOR, deliveryId)).rejects.toThrow("is disabled");
    await expect(sendTest(scene.db, OPERATOR, id)).rejects.toThrow("is disabled");
  });
});

describe("disabled, deleted, gone", () => {
  test.each([
    ["disabled", disableWebhook],
    ["deleted", deleteWebhook],
  ])(
    "%s: what is pending is skipped, and nothing more is sent than what is under way",
    async (_name, stop) => {
      const { url, received } = await receiver(() => undefined);
      const anna = await scene.given.person();
      const { id } = await scene.personalWebhook(anna, url);
      await scene.db.execute(sql`with e as (insert into webhook_events (data) values ('{}') returning id)
        insert into deliveries (webhook_id, event_id) select ${id}, e.id from e, generate_series(1, 30)`);
      await scene.db.execute(sql`select pg_notify('minutes_deliveries', '')`);
      await expect.poll(() => received.length).toBe(8); // the share of one webhook
      await stop(scene.db, OPERATOR, id);
      expect(new Set(await states(id))).toEqual(new Set(["skipped"]));
      await open.at(-1)?.close();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(received).toHaveLength(8);
      expect(await states(id)).toEqual(Array(30).fill("skipped"));
      expect((await completeMeeting(scene.db, anna)).enqueued).toBe(0);
    },
  );

  test("enabled again, it gets what comes from then on", async () => {
    const { url, received } = await receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    await disableWebhook(scene.db, OPERATOR, id);
    await completeMeeting(scene.db, anna);
    await enableWebhook(scene.db, OPERATOR, id);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => states(id)).toEqual(["delivered"]);
    expect(received).toHaveLength(1);
  });

  test("a delivery enqueued while its webhook was being disabled is skipped, not sent", async () => {
    const { url, received } = await receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    // As if the two transactions had run side by side: the webhook is disabled, the delivery pending.
    await scene.db.update(schema.webhooks).set({ disabledAt: sql`now()` }).where(sql`id = ${id}`);
    await scene.db.execute(sql`with e as (insert into webhook_events (data) values ('{}') returning id)
      insert into deliveries (webhook_id, event_id) select ${id}, id from e`);
    await scene.db.execute(sql`select pg_notify('minutes_deliveries', '')`);
    await expect.poll(() => states(id)).toEqual(["skipped"]);
    expect(received).toEqual([]);
  });

  test("a workspace gets no retry of a meeting whose owner has left", async () => {
    const { url, received } = await receiver(() => 500);
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    const { id } = await scene.workspaceWebhook(company, url);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => states(id)).toEqual(["failed"]);
    const before = received.length;
    await scene.given.leaves(anna);
    const [delivery] = (await page(id)).deliveries;
    await redeliver(scene.db, OPERATOR, delivery?.id ?? "");
    await expect.poll(() => states(id)).toEqual(["skipped"]);
    expect(received).toHaveLength(before);
  });

  test("a lesser plan without webhooks gets no event any more, and no retry", async () => {
    const { url, received } = await receiver(() => 500);
    const company = await scene.given.company();
    const { id } = await scene.workspaceWebhook(company, url);
    await completeMeeting(scene.db, company.admin);
    await expect.poll(() => states(id)).toEqual(["failed"]);
    await setPlan(scene.db, OPERATOR, company.workspaceId, "free");
    const [delivery] = (await page(id)).deliveries;
    await redeliver(scene.db, OPERATOR, delivery?.id ?? "");
    await expect.poll(() => states(id)).toEqual(["skipped"]);
    expect(received).toHaveLength(5);
    expect((await completeMeeting(scene.db, company.admin)).enqueued).toBe(0);
  });

  test("deleting a meeting cancels what is pending and leaves no copy of its content", async () => {
    const alone = await webhookScene();
    try {
      const { url, received } = await receiver(() => 500, await alone.ca.issue());
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
      await alone.db.update(schema.deliveries).set({ dueAt: sql`now()` });
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

/** Names of the tables that hold a text anywhere. */
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

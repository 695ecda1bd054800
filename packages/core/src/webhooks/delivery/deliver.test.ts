import { createHmac } from "node:crypto";
import { MeetingCompleted } from "@minutes/contract";
import { schema } from "@minutes/db";
import { completeMeeting, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../actor.js";
import { getDelivery, listDeliveries, regenerateSecret } from "../index.js";
import { attemptDelivery } from "./attempt.js";
import type { Sender } from "./send.js";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
  await scene.worker();
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(() => scene.close());

const page = (webhookId: string) => listDeliveries(scene.db, OPERATOR, { webhookId, limit: 50 });

describe("meeting.completed", () => {
  test("the payload has exactly the specified fields", async () => {
    const { url, received } = await scene.receiver();
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
        {
          speakerId: "s2",
          speakerName: "Guest",
          text: "Thanks. The turbines arrive in May, and not a day later.",
        },
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
    const body = MeetingCompleted.parse(JSON.parse(received[0]?.body ?? ""));
    expect(JSON.parse(received[0]?.body ?? "")).toEqual(body);
    const [zoe, guest] = body.data.participants.map(({ id: person }) => person);
    expect([zoe, guest]).toEqual([expect.stringMatching(/^per_/), expect.stringMatching(/^per_/)]);
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
          { speakerId: zoe, speakerName: "Zoë", text: 'Said "hi" 🎉\u2028\n' },
          {
            speakerId: guest,
            speakerName: "Guest",
            text: "Thanks. The turbines arrive in May, and not a day later.",
          },
        ],
        participants: [
          { id: zoe, name: "Zoë", email: "zoe@example.com" },
          { id: guest, name: "Guest", email: null },
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
    await expect.poll(() => scene.states(id)).toEqual(["delivered"]);
  });

  test("headers: one authentication header, and the delivery's id and event", async () => {
    const { url, received } = await scene.receiver();
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

  test("headers of a tracer are sent as well, and replace none of the delivery's own", async () => {
    const sent: Record<string, string> = {};
    const sender: Sender = {
      send: async ({ headers }) => {
        Object.assign(sent, headers);
        return { status: 200, error: null, milliseconds: 1 };
      },
      close: async () => {},
    };
    const extra = { traceparent: "00-1-2-01", "user-agent": "other", "x-signature": "other" };
    const claim = {
      id: "1",
      webhookId: "wh_1",
      event: "meeting.completed",
      created: 0,
      data: "{}",
      oldSecrets: [],
    };
    const { keyring } = scene.settings;
    const secret = keyring.encrypt("secret", "wh_1");
    const chosen = { url: "https://receiver.example", method: "signature", headerName: "x-signature" };
    await attemptDelivery(
      { keyring, sender },
      { ...claim, ...chosen, ...secret, headerPrefix: null } as never,
      extra,
    );
    expect(sent).toMatchObject({ traceparent: "00-1-2-01", "user-agent": "Minutes-Webhooks/1" });
    expect(sent["x-signature"]).toMatch(/^t=/);
  });

  test("the bytes of an existing webhook's request stay the same: names, order and form of its headers", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    await scene.personalWebhook(anna, url);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => received.length).toBe(1);
    const { headers, body, id } = received[0] ?? { headers: {} };
    const { host, connection, "content-length": length, ...own } = headers;
    expect(Object.entries(own)).toEqual([
      ["content-type", "application/json"],
      ["user-agent", "Minutes-Webhooks/1"],
      ["service-event", "meeting.completed"],
      ["service-delivery", id],
      ["x-service-signature", expect.stringMatching(/^t=\d{10},v0=[0-9a-f]{64}$/)],
    ]);
    const start = `{"metadata":{"id":"${id}","event":"meeting.completed","created":`;
    expect(body?.slice(0, start.length)).toBe(start);
    expect(body?.slice(start.length)).toMatch(/^\d{10}\},"data":\{"id" : "mtg_/);
  });

  test("headers have the configured names", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    const names = { headerName: "x-other-signature", headerPrefix: "x-other-" };
    await scene.personalWebhook(anna, url, names);
    await completeMeeting(scene.db, anna);
    await expect.poll(() => received.length).toBe(1);
    expect(received[0]?.headers).toMatchObject({
      "x-other-event": "meeting.completed",
      "x-other-delivery": JSON.parse(received[0]?.body ?? "").metadata.id,
      "x-other-signature": expect.stringMatching(/^t=/),
    });
    for (const name of ["service-event", "service-delivery", "x-service-signature"])
      expect(received[0]?.headers).not.toHaveProperty(name);
  });

  test("for 24 hours after a secret is replaced, the old one also signs", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    const old = await scene.personalWebhook(anna, url);
    const fresh = await regenerateSecret(scene.db, scene.settings, OPERATOR, old.id);
    const sent = async () => {
      const before = received.length;
      await completeMeeting(scene.db, anna);
      await expect.poll(() => received.length).toBe(before + 1);
      const { headers, body } = received[before] ?? {};
      const [t, ...signatures] = String(headers?.["x-service-signature"]).split(",");
      const seconds = t?.slice(2);
      const by = ({ secret }: { secret: string }) =>
        `v0=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
      return { signatures, ofNew: by(fresh), ofOld: by(old) };
    };
    const during = await sent();
    expect(during.signatures).toEqual([during.ofNew, during.ofOld]);
    await scene.db.update(schema.webhookOldSecrets).set({ expiresAt: sql`expires_at - interval '24 hours'` });
    const after = await sent();
    expect(after.signatures).toEqual([after.ofNew]);
  });

  test("is sent to the owner's personal webhooks and their workspace's webhooks, and to no others", async () => {
    const { url, received } = await scene.receiver();
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

  test("a locked summary is empty", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    await scene.personalWebhook(anna, url);
    await scene.db.transaction(async (tx) => {
      const { importMeeting, enqueueDeliveries } = await import("../../index.js");
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
      // Only once.
      expect(await enqueueDeliveries(tx, meetingId)).toBe(0);
    });
    await expect.poll(() => received.length).toBe(1);
    expect(JSON.parse(received[0]?.body ?? "").data.summary).toEqual({ markdown: "", html: "", short: "" });
    expect(received[0]?.body).not.toContain("secret words");
  });

  test("a transaction that does not commit sends nothing", async () => {
    const { url, received } = await scene.receiver();
    const anna = await scene.given.person();
    const { id } = await scene.personalWebhook(anna, url);
    const rolledBack = scene.db.transaction(async (tx) => {
      await completeMeeting(tx, anna);
      throw new Error("no");
    });
    await expect(rolledBack).rejects.toThrow("no");
    await completeMeeting(scene.db, anna);
    await expect.poll(() => received.length).toBe(1);
    expect(await scene.states(id)).toHaveLength(1);
  });
});

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
    try {
      const { url, received } = await alone.receiver(() => 500);
      await alone.worker({ retryDelays: [10, 60, 600, 3600] });
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

import { createHmac } from "node:crypto";
import { schema } from "@minutes/db";
import { completeMeeting, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { sql } from "drizzle-orm";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import { regenerateSecret } from "../index.js";
import { attemptDelivery } from "./attempt.js";
import type { Sender } from "./send.js";

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
  await scene.worker();
});
afterEach(() => expect(scene.faults.splice(0)).toEqual([]));
afterAll(() => scene.close());

describe("headers of a delivery", () => {
  test("one authentication header, and the delivery's id and event", async () => {
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

  test("those of a tracer are sent as well, and replace none of the delivery's own", async () => {
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
      format: "json",
    };
    const { keyring } = scene.settings;
    const secret = keyring.encrypt("secret", "wh_1");
    const chosen = { url: "https://receiver.example", method: "signature", headerName: "x-signature" };
    await attemptDelivery(
      { keyring, sender, publicUrl: () => "" },
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

  test("have the configured names", async () => {
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
});

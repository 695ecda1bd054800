import { SIGNATURE_HEADER } from "@minutes/contract";
import { startTestServer, type TestServer } from "@minutes/server/testing";
import {
  asUser,
  type Company,
  completeMeeting,
  createWebhookScene,
  findPayload,
  type Person,
  type Receiver,
  startWebhookReceiver,
  type WebhookScene,
} from "@minutes/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../access/actor.js";
import { deleteMeeting } from "../meetings/index.js";
import { shareMeeting } from "../meetings/sharing/index.js";
import { setPlan } from "../workspaces/index.js";

let scene: WebhookScene;
let server: TestServer;
let receiver: Receiver;
let company: Company;
let anna: Person;
let boris: Person;
beforeAll(async () => {
  scene = await createWebhookScene();
  server = await startTestServer({ database: scene.database, webhooks: scene.settings });
  receiver = await startWebhookReceiver(await scene.ca.issue(), ({ path }) => (path === "/down" ? 500 : 200));
  company = await scene.given.company();
  anna = await scene.given.member(company);
  boris = await scene.given.member(company);
  await scene.worker();
});
afterAll(async () => {
  await server.close();
  await scene.close();
  await receiver.close();
});

async function ask(who: Person, procedure: string, input?: object) {
  const token = await scene.given.session(who);
  const answer = await server.call(token, `settings/webhooks.${procedure}`, input);
  return [answer.status, findPayload(answer) ?? (answer.body as { error: string }).error] as const;
}
interface Made {
  readonly id: string;
  readonly secret: string;
}
const make = async (who: Person, more: object = {}): Promise<Made> => {
  const [status, made] = await ask(who, "create", {
    kind: "personal",
    name: "Mine",
    url: receiver.url,
    ...more,
  });
  expect([status, made]).toMatchObject([200, { id: expect.stringMatching(/^whk_/) }]);
  return made as Made;
};
const done = [200, { success: true }];
const unknown = [404, "No such webhook."];
const onlyAdmins = [403, "Only a workspace admin can do this."];
const ALWAYS = { from: "2020-01-01T00:00:00Z", to: "2999-01-01T00:00:00Z" };

describe("a user's own webhook", () => {
  test("200: created, shown, changed, tested, redelivered, disabled, enabled and deleted; its secret is shown only at creation", async () => {
    const made = await make(anna, {
      method: "api-key",
      headerName: "X-Our-Key",
      url: `${receiver.url}?token=1`,
    });
    const { id } = made;
    const facts = { id, kind: "personal", name: "Mine", method: "api-key", headerName: "x-our-key" };
    const answers = [
      await ask(anna, "list"),
      await ask(anna, "get", { webhookId: id }),
      await ask(anna, "update", { webhookId: id, name: "Renamed", url: receiver.url }),
    ];
    expect(answers).toMatchObject([
      [200, { personal: [{ ...facts, url: `${receiver.url}?token=1` }], workspace: [] }],
      [200, facts],
      [200, { ...facts, name: "Renamed", url: receiver.url }],
    ]);

    const [, sent] = await ask(anna, "test", { webhookId: id });
    const { deliveryId } = sent as { deliveryId: string };
    const delivery = async () => (await ask(anna, "delivery", { deliveryId }))[1] as { state: string };
    await expect.poll(async () => (await delivery()).state).toBe("delivered");
    expect(receiver.received.at(-1)?.headers["x-our-key"]).toBe(made.secret);
    answers.push(await ask(anna, "delivery", { deliveryId }));
    answers.push(await ask(anna, "deliveries", { webhookId: id, state: "delivered" }));
    expect(answers.at(-1)).toMatchObject([200, { deliveries: [{ id: deliveryId }], nextCursor: null }]);

    const [, fresh] = await ask(anna, "regenerate", { webhookId: id });
    const { secret } = fresh as Made;
    expect(secret).not.toBe(made.secret);
    expect(await ask(anna, "redeliver", { deliveryId })).toEqual(done);
    await expect.poll(() => receiver.received.at(-1)?.headers["x-our-key"]).toBe(secret);

    await ask(anna, "update", { webhookId: id, url: new URL("/down", receiver.url).href });
    await ask(anna, "test", { webhookId: id });
    const failed = { webhookId: id, state: "failed" };
    const failures = async () => (await ask(anna, "deliveries", failed))[1] as { deliveries: unknown[] };
    await expect.poll(async () => (await failures()).deliveries.length).toBe(1);
    await ask(anna, "update", { webhookId: id, url: receiver.url });
    expect(await ask(anna, "redeliverFailed", { webhookId: id, ...ALWAYS })).toEqual([
      200,
      { redelivered: 1 },
    ]);

    expect(await ask(anna, "disable", { webhookId: id })).toEqual(done);
    const disabled = [409, "This webhook is disabled. Enable it first."];
    expect(await ask(anna, "test", { webhookId: id })).toEqual(disabled);
    expect(await ask(anna, "enable", { webhookId: id })).toEqual(done);
    expect(await ask(anna, "delete", { webhookId: id })).toEqual(done);
    expect(await ask(anna, "get", { webhookId: id })).toEqual(unknown);
    // Its log remains.
    answers.push(await ask(anna, "delivery", { deliveryId }));
    expect(answers.at(-1)?.[0]).toBe(200);

    const seen = JSON.stringify(answers) + server.log.join("\n");
    for (const shown of [made.secret, secret]) expect(seen).not.toContain(shown.slice(3, 15));
  });

  test("400: a private address, a reserved header, an unknown field; 409: a fourth webhook", async () => {
    const own = { kind: "personal", name: "x", url: receiver.url };
    const refused = [400, "url must not resolve to a private, local or reserved address."];
    expect(await ask(boris, "create", { ...own, url: "https://10.0.0.1/" })).toEqual(refused);
    const header = { method: "api-key", headerName: "host" };
    expect((await ask(boris, "create", { ...own, ...header }))[0]).toBe(400);
    expect((await ask(boris, "create", { ...own, headerPrefix: "sec-" }))[0]).toBe(400);
    expect((await ask(boris, "create", { ...own, userId: anna.userId }))[0]).toBe(400);
    const made = [await make(boris), await make(boris), await make(boris)];
    const edited = await ask(boris, "update", { webhookId: made[0]?.id, url: "https://[::ffff:10.0.0.1]/" });
    expect(edited).toEqual(refused);
    expect((await ask(boris, "create", own))[0]).toBe(409);
    for (const { id } of made) expect(await ask(boris, "delete", { webhookId: id })).toEqual(done);
  });
});

/** Every procedure that takes a webhook or delivery id. */
const managing = (webhookId: string, deliveryId: string) =>
  [
    ["get", { webhookId }],
    ["update", { webhookId, name: "x" }],
    ["disable", { webhookId }],
    ["enable", { webhookId }],
    ["regenerate", { webhookId }],
    ["test", { webhookId }],
    ["redeliverFailed", { webhookId, ...ALWAYS }],
    ["redeliver", { deliveryId }],
    ["delete", { webhookId }],
  ] as const;
const reading = (webhookId: string, deliveryId: string) =>
  [
    ["deliveries", { webhookId }],
    ["delivery", { deliveryId }],
    ["request", { deliveryId }],
  ] as const;

describe("another user's webhook", () => {
  test("404: every procedure, for another member and for an admin", async () => {
    const { id } = await make(anna);
    const [, sent] = await ask(anna, "test", { webhookId: id });
    const { deliveryId } = sent as { deliveryId: string };
    for (const who of [boris, company.admin])
      for (const [procedure, input] of [...managing(id, deliveryId), ...reading(id, deliveryId)]) {
        const what = "deliveryId" in input ? [404, "No such delivery."] : unknown;
        expect([procedure, ...(await ask(who, procedure, input))]).toEqual([procedure, ...what]);
      }
    expect(await ask(boris, "list")).toEqual([200, { personal: [], workspace: [] }]);
    expect(await ask(anna, "get", { webhookId: id })).toMatchObject([200, { disabledAt: null }]);
    expect(await ask(anna, "delete", { webhookId: id })).toEqual(done);
  });
});

describe("a workspace's webhook", () => {
  test("403: a member can't manage it but reads its log; 404: a user of another workspace", async () => {
    const ours = { kind: "workspace", name: "All", url: `${receiver.url}?token=hidden` };
    expect((await ask(anna, "create", ours))[0]).toBe(403);
    const { id } = await make(company.admin, ours);
    const [, sent] = await ask(company.admin, "test", { webhookId: id });
    const { deliveryId } = sent as { deliveryId: string };
    const stranger = (await scene.given.company()).admin;
    for (const [procedure, input] of managing(id, deliveryId)) {
      expect([procedure, ...(await ask(anna, procedure, input))]).toEqual([procedure, ...onlyAdmins]);
      expect([procedure, (await ask(stranger, procedure, input))[0]]).toEqual([procedure, 404]);
    }
    for (const [procedure, input] of reading(id, deliveryId)) {
      expect([procedure, (await ask(anna, procedure, input))[0]]).toEqual([procedure, 200]);
      expect([procedure, (await ask(stranger, procedure, input))[0]]).toEqual([procedure, 404]);
    }
    // A member sees it, but only the host of its URL.
    const { origin } = new URL(receiver.url);
    expect(await ask(anna, "list")).toMatchObject([200, { personal: [], workspace: [{ id, url: origin }] }]);
    expect(await ask(company.admin, "list")).toMatchObject([200, { workspace: [{ id, url: ours.url }] }]);

    await scene.given.leaves(anna);
    expect((await ask(anna, "deliveries", { webhookId: id }))[0]).toBe(404);
    await scene.given.joins(anna, company);
    expect(await ask(company.admin, "delete", { webhookId: id })).toEqual(done);
  });

  test("shows a delivery's request as it was sent, without the secret, and the body only to readers of the meeting", async () => {
    const { id, secret } = await make(company.admin, { kind: "workspace", headerPrefix: "x-stock-" });
    const { meetingId } = await completeMeeting(scene.db, anna, { title: "Only Anna reads this" });
    const sent = () => receiver.received.find(({ body }) => body.includes("Only Anna reads this"));
    await expect.poll(sent).toBeDefined();
    const [, log] = await ask(anna, "deliveries", { webhookId: id });
    const deliveryId = (log as { deliveries: { id: string }[] }).deliveries[0]?.id;
    const request = async (who: Person) => {
      const [status, shown] = await ask(who, "request", { deliveryId });
      expect([status, JSON.stringify(shown)]).not.toContain(secret);
      return shown as { headers: Record<string, string | null>; body: string | null };
    };
    const { headers, body } = await request(anna);
    expect(body).toBe(sent()?.body);
    expect(headers).toEqual({
      "content-type": "application/json",
      "user-agent": "Minutes-Webhooks/1",
      "x-stock-event": "meeting.completed",
      "x-stock-delivery": deliveryId,
      [SIGNATURE_HEADER]: null,
    });
    const received = sent()?.headers ?? {};
    for (const [name, value] of Object.entries(headers))
      expect([name, received[name]]).toEqual([name, value ?? expect.stringMatching(/^t=/)]);
    // An admin manages the webhook but can't read the meeting.
    expect(await request(company.admin)).toEqual({ headers, body: null });
    await shareMeeting(scene.db, OPERATOR, meetingId, boris.userId);
    expect((await request(boris)).body).toBe(body);
    await deleteMeeting(scene.db, asUser(anna.userId), meetingId);
    expect(await request(anna)).toEqual({ headers, body: null });
    expect(await ask(company.admin, "delete", { webhookId: id })).toEqual(done);
  });

  test("403: on the free plan; 412: an installation without SECRETS_KEY", async () => {
    const free = await scene.given.person({ plan: "free" });
    const own = { kind: "personal", name: "x", url: receiver.url };
    const plan = [403, "Webhooks require a Plus, Pro, Team or Enterprise plan."];
    expect(await ask(free, "create", own)).toEqual(plan);
    const later = await scene.given.company();
    const { id } = await make(later.admin, { kind: "workspace" });
    await setPlan(scene.db, { kind: "operator" }, later.workspaceId, "free");
    expect(await ask(later.admin, "test", { webhookId: id })).toEqual(plan);

    const without = await startTestServer({
      database: scene.database,
      webhooks: { keyring: null, targetPolicy: scene.settings.targetPolicy },
    });
    const token = await scene.given.session(anna);
    expect((await without.call(token, "settings/webhooks.create", own)).status).toBe(412);
    await without.close();
  });
});

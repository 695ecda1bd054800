import { schema } from "@minutes/db";
import {
  asUser,
  type Company,
  createWebhookScene,
  createWorkspaceWebhook,
  type WebhookScene,
} from "@minutes/testing";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATOR } from "../../access/actor.js";
import type { UserCaller } from "../../access/callers.js";
import { setPlan, setRole } from "../../workspaces/index.js";
import {
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  sendTest,
  updateWebhook,
} from "../index.js";

const URL = "https://127.0.0.1:9/hook";
const input = { name: "Mine", url: URL, method: "signature" } as const;

const { users } = schema;

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
});
afterAll(() => scene.close());

const ofWorkspace = (userId: string) => createWorkspaceWebhook(scene.db, scene.settings, userId, input);
const listPersonal = async ({ userId }: { userId: string }) =>
  (await listWebhooks(scene.db, asUser(userId))).personal;
const listOfWorkspace = async ({ workspaceId, admin }: Company) =>
  (await listWebhooks(scene.db, asUser(admin.userId, workspaceId))).workspace;
const as = ({ userId }: { userId: string }) => asUser(userId);

describe("limits and access", () => {
  test("409: a fourth personal webhook, even with concurrent creations; a deleted one does not count", async () => {
    const anna = await scene.given.person();
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => scene.personalWebhook(anna, URL)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    await expect(scene.personalWebhook(anna, URL)).rejects.toThrow("A user can have 3 personal webhooks.");
    const [first] = await listPersonal(anna);
    await disableWebhook(scene.db, OPERATOR, first?.id ?? "");
    await expect(scene.personalWebhook(anna, URL)).rejects.toMatchObject({ code: "CONFLICT" });
    await deleteWebhook(scene.db, OPERATOR, first?.id ?? "");
    await scene.personalWebhook(anna, URL);
    expect(await listPersonal(anna)).toHaveLength(3);
  });

  test("lists show a webhook's creator, and null once that user is deleted", async () => {
    const company = await scene.given.company();
    const admin = await scene.given.member(company);
    await setRole(scene.db, OPERATOR, admin.userId, "admin");
    const { id } = await ofWorkspace(admin.userId);
    const createdBy = async () =>
      (await listOfWorkspace(company)).find((webhook) => webhook.id === id)?.createdBy;
    expect(await createdBy()).toEqual({ userId: admin.userId, email: admin.email });
    expect((await getWebhook(scene.db, OPERATOR, id)).createdBy).toEqual(await createdBy());
    await scene.db.delete(users).where(eq(users.id, admin.userId));
    expect(await createdBy()).toBeNull();
  });

  test("409: a sixth workspace webhook; 403: a member who is not an admin", async () => {
    const company = await scene.given.company();
    const member = await scene.given.member(company);
    await expect(ofWorkspace(member.userId)).rejects.toThrow("Only a workspace admin can create");
    for (let n = 0; n < 5; n++) await ofWorkspace(company.admin.userId);
    await expect(ofWorkspace(company.admin.userId)).rejects.toThrow(
      "A workspace can have 5 workspace webhooks.",
    );
    expect(await listOfWorkspace(company)).toHaveLength(5);
  });

  test.each([
    ["free", false],
    ["plus", true],
    ["pro", true],
    ["team", true],
    ["enterprise", true],
  ] as const)("on the %s plan: %s", async (plan, allowed) => {
    const anna = await scene.given.person({ plan });
    const company = await scene.given.company({ plan });
    for (const make of [() => scene.personalWebhook(anna, URL), () => ofWorkspace(company.admin.userId)]) {
      if (allowed) expect((await make()).id).toMatch(/^whk_/);
      else await expect(make()).rejects.toThrow("Webhooks require a Plus, Pro, Team or Enterprise plan.");
    }
  });

  test("403: a test delivery after a downgrade", async () => {
    const company = await scene.given.company();
    const { id } = await ofWorkspace(company.admin.userId);
    await setPlan(scene.db, OPERATOR, company.workspaceId, "free");
    await expect(sendTest(scene.db, OPERATOR, id)).rejects.toThrow("Webhooks require");
  });

  test("404: another user's webhook; 403: a member who is not an admin changes the workspace's webhook; they can read its log", async () => {
    const company = await scene.given.company();
    const anna = await scene.given.member(company);
    const eve = await scene.given.member(company);
    const stranger = await scene.given.person();
    const hers = await scene.personalWebhook(anna, URL);
    const ours = await ofWorkspace(company.admin.userId);
    const managing = (who: UserCaller, id: string) => [
      () => getWebhook(scene.db, who, id),
      () => updateWebhook(scene.db, scene.settings, who, id, { name: "x" }),
      () => disableWebhook(scene.db, who, id),
      () => enableWebhook(scene.db, who, id),
      () => regenerateSecret(scene.db, scene.settings, who, id),
      () => sendTest(scene.db, who, id),
      () =>
        redeliverFailed(scene.db, who, id, {
          from: "2020-01-01T00:00:00.000Z",
          to: "2030-01-01T00:00:00.000Z",
        }),
      () => deleteWebhook(scene.db, who, id),
    ];
    const managed = (who: UserCaller, id: string) => managing(who, id).map((manage) => manage());
    const log = (who: UserCaller, webhookId: string) =>
      listDeliveries(scene.db, who, { webhookId, limit: 10 });
    const codes = async (calls: readonly Promise<unknown>[]) => {
      const ended = await Promise.allSettled(calls);
      return new Set(ended.map((end) => (end.status === "rejected" ? end.reason.code : end.status)));
    };
    const strangers = [
      ...managed(as(eve), hers.id),
      ...managed(as(company.admin), hers.id),
      ...managed(as(stranger), ours.id),
      log(as(eve), hers.id),
      log(as(stranger), ours.id),
    ];
    expect(strangers).toHaveLength(26);
    expect(await codes(strangers)).toEqual(new Set(["NOT_FOUND"]));
    expect(await codes(managed(as(eve), ours.id))).toEqual(new Set(["FORBIDDEN"]));
    expect((await log(as(eve), ours.id)).deliveries).toEqual([]);
    await sendTest(scene.db, as(anna), hers.id);
    const [delivery] = (await log(as(anna), hers.id)).deliveries;
    // The message is the same as for a delivery that never existed.
    for (const id of [delivery?.id ?? "", "1"]) {
      await expect(redeliver(scene.db, as(eve), id)).rejects.toThrow("No such delivery.");
      await expect(getDelivery(scene.db, as(eve), id)).rejects.toThrow("No such delivery.");
    }
    for (const manage of managing(as(company.admin), ours.id)) await manage();
    await expect(getWebhook(scene.db, OPERATOR, ours.id)).rejects.toMatchObject({ code: "NOT_FOUND" });
  });
});

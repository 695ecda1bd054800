import { NewWebhook } from "@minutes/contract";
import { schema } from "@minutes/db";
import { createWebhookScene, type WebhookScene } from "@minutes/testing";
import { eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Actor, OPERATOR } from "../../actor.js";
import { setPlan, setRole } from "../../workspaces/index.js";
import { rotateSecrets } from "../delivery/housekeeping.js";
import {
  createKeyring,
  createPersonalWebhook,
  createWebhookTargetPolicy,
  createWorkspaceWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  generateSecretsKey,
  getDelivery,
  getWebhook,
  listDeliveries,
  listWebhooks,
  parseSecretsKey,
  redeliver,
  redeliverFailed,
  regenerateSecret,
  requireKeyring,
  sendTest,
  UnknownKeyError,
  updateWebhook,
} from "../index.js";
import { keepOldSecret } from "./old-secrets.js";

const URL = "https://127.0.0.1:9/hook";
const input = { name: "Mine", url: URL, method: "signature" } as const;

const { users, webhooks } = schema;

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
});
afterAll(() => scene.close());

const personal = (userId: string, more = {}) =>
  createPersonalWebhook(scene.db, scene.settings, userId, { ...input, ...more });
const ofWorkspace = (userId: string) => createWorkspaceWebhook(scene.db, scene.settings, userId, input);
const as = ({ userId }: { userId: string }): Actor => ({ kind: "user", userId });

/** Returns the current secret of a webhook. */
async function storedSecret(webhookId: string): Promise<string> {
  const [row] = await scene.db.select().from(webhooks).where(eq(webhooks.id, webhookId));
  if (!row?.secretKeyId || !row.secret) throw new Error("The webhook has no secret.");
  return requireKeyring(scene.settings).decrypt(
    { secretKeyId: row.secretKeyId, secret: row.secret },
    webhookId,
  );
}

describe("limits and access", () => {
  test("409: a fourth personal webhook, even with concurrent creations; a deleted one does not count", async () => {
    const anna = await scene.given.person();
    const made = await Promise.allSettled(Array.from({ length: 6 }, () => personal(anna.userId)));
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(3);
    await expect(personal(anna.userId)).rejects.toThrow("A user can have 3 personal webhooks.");
    const [first] = await listWebhooks(scene.db, anna);
    await disableWebhook(scene.db, OPERATOR, first?.id ?? "");
    await expect(personal(anna.userId)).rejects.toMatchObject({ code: "CONFLICT" });
    await deleteWebhook(scene.db, OPERATOR, first?.id ?? "");
    await personal(anna.userId);
    expect(await listWebhooks(scene.db, anna)).toHaveLength(3);
  });

  test("lists show a webhook's creator, and null once that user is deleted", async () => {
    const company = await scene.given.company();
    const admin = await scene.given.member(company);
    await setRole(scene.db, OPERATOR, admin.userId, "admin");
    const { id } = await ofWorkspace(admin.userId);
    const createdBy = async () =>
      (await listWebhooks(scene.db, { workspaceId: company.workspaceId })).find(
        (webhook) => webhook.id === id,
      )?.createdBy;
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
    expect(await listWebhooks(scene.db, company)).toHaveLength(5);
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
    for (const make of [() => personal(anna.userId), () => ofWorkspace(company.admin.userId)]) {
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
    const hers = await personal(anna.userId);
    const ours = await ofWorkspace(company.admin.userId);
    const managing = (who: Actor, id: string) => [
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
    const managed = (who: Actor, id: string) => managing(who, id).map((manage) => manage());
    const log = (who: Actor, webhookId: string) => listDeliveries(scene.db, who, { webhookId, limit: 10 });
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

describe("input", () => {
  const good = { name: "x", url: URL, method: "api-key" };
  const accepts = (more: object) => NewWebhook.safeParse({ ...good, ...more }).success;
  test("400: header names that HTTP or Minutes uses, and malformed header names", () => {
    for (const headerName of ["X-My-Key", "authorization", "x-api-key"])
      expect(accepts({ headerName })).toBe(true);
    for (const headerName of [
      ...[
        "host",
        "Host",
        "content-length",
        "Transfer-Encoding",
        "connection",
        "cookie",
        "user-agent",
        "upgrade",
      ],
      ...[
        "service-delivery",
        "x-service-signature", // where a receiver does not expect a secret
        "proxy-authorization",
        "sec-fetch-mode",
        "",
        "a b",
        "a:b",
        "a\r\nb",
        "ü",
      ],
      "x".repeat(65),
    ])
      expect([headerName, accepts({ headerName })]).toEqual([headerName, false]);
  });

  test("400: a prefix that produces names used by HTTP, and headers with the same name", () => {
    const signed = (more: object) => accepts({ method: "signature", ...more });
    for (const headerPrefix of ["service-", "X-Other-", "x-github-", "e"])
      expect([headerPrefix, signed({ headerPrefix })]).toEqual([headerPrefix, true]);
    for (const headerPrefix of ["", "sec-", "proxy-x-", "a b", "ü", "a\r\nb", "x".repeat(49)])
      expect([headerPrefix, signed({ headerPrefix })]).toEqual([headerPrefix, false]);
    expect(signed({ headerName: "X-Other-Signature", headerPrefix: "x-other-" })).toBe(true);
    expect(signed({ headerName: "x-service-signature" })).toBe(true);
    for (const headerName of ["x-other-event", "x-other-delivery"])
      expect(accepts({ headerName, headerPrefix: "x-other-" })).toBe(false);
  });

  test("name, URL and headers can be changed; 400: headers with the same name", async () => {
    const anna = await scene.given.person();
    const { id } = await personal(anna.userId, { method: "api-key", headerName: "x-one" });
    const change = { name: "New", url: `${URL}#part`, headerName: "x-two" };
    expect(await updateWebhook(scene.db, scene.settings, OPERATOR, id, change)).toMatchObject({
      ...change,
      url: URL,
    });
    expect(await updateWebhook(scene.db, scene.settings, OPERATOR, id, {})).toMatchObject({ name: "New" });
    const signed = await personal(anna.userId, { headerName: "x-a-event" });
    const edit = (to: { headerName?: string; headerPrefix?: string }) =>
      updateWebhook(scene.db, scene.settings, OPERATOR, signed.id, to);
    const collide = "headerName must differ from the other headers.";
    await expect(edit({ headerPrefix: "x-a-" })).rejects.toThrow(collide);
    expect(await edit({ headerName: "x-b", headerPrefix: "x-a-" })).toMatchObject({ headerName: "x-b" });
    await expect(edit({ headerName: "x-a-delivery" })).rejects.toThrow(collide);
    await expect(
      updateWebhook(scene.db, scene.settings, OPERATOR, id, { headerName: "x-service-signature" }),
    ).rejects.toThrow(collide);
  });

  test("412: creating a webhook without a key for secrets", async () => {
    const anna = await scene.given.person();
    const without = {
      keyring: null,
      targetPolicy: createWebhookTargetPolicy({ allowedNetworks: ["127.0.0.1/32"] }),
    };
    await expect(createPersonalWebhook(scene.db, without, anna.userId, input)).rejects.toThrow("SECRETS_KEY");
  });
});

describe("secrets", () => {
  test("are shown once, and are in no later answer and not in the database", async () => {
    const anna = await scene.given.person();
    const created = [await personal(anna.userId), await personal(anna.userId, { method: "api-key" })];
    const again = await regenerateSecret(scene.db, scene.settings, as(anna), created[0]?.id ?? "");
    const secrets = [...created, again].map(({ secret }) => secret);
    expect(new Set(secrets).size).toBe(3);
    const shown = JSON.stringify([
      await listWebhooks(scene.db, anna),
      await getWebhook(scene.db, as(anna), again.id),
    ]);
    const facts = [
      "id",
      "kind",
      "name",
      "url",
      "method",
      "headerName",
      "headerPrefix",
      "events",
      "createdAt",
      "disabledAt",
      "pausedAt",
      "missed",
      "createdBy",
    ];
    expect(Object.keys(await getWebhook(scene.db, as(anna), again.id))).toEqual(facts);
    const tables = await scene.db
      .select({ name: sql<string>`tablename` })
      .from(sql`pg_tables where schemaname = 'public'`);
    for (const secret of secrets) {
      const core = secret.slice(3, -6);
      expect(shown).not.toContain(core.slice(0, 8));
      const hex = Buffer.from(core).toString("hex");
      for (const { name } of tables) {
        const found = await scene.db
          .select({ row: sql<string>`t::text` })
          .from(
            sql`${sql.identifier(name)} t where t::text like ${`%${core}%`} or t::text like ${`%${hex}%`}`,
          );
        expect([name, found]).toEqual([name, []]);
      }
    }
  });

  test("a URL with a new origin gets a new secret, shown once; the new receiver never gets the old one", async () => {
    const anna = await scene.given.person();
    const created = await personal(anna.userId, { method: "api-key" });
    const edit = (url: string) =>
      updateWebhook(scene.db, scene.settings, as(anna), created.id, { url, name: "Edited" });
    const sameOrigin = await edit("https://127.0.0.1:9/other-path");
    expect(sameOrigin).not.toHaveProperty("secret");
    expect(await storedSecret(created.id)).toBe(created.secret);
    for (const url of ["https://127.0.0.1:10/other-path", "https://localhost.test:10/other-path"]) {
      const before = await storedSecret(created.id);
      const moved = await edit(url);
      expect(moved.secret).toMatch(/^sk_/);
      expect(moved.secret).not.toBe(before);
      expect(await storedSecret(created.id)).toBe(moved.secret);
    }
    expect(await getWebhook(scene.db, as(anna), created.id)).not.toHaveProperty("secret");
  });

  test("deleting a webhook erases its secret and the path of its URL", async () => {
    const anna = await scene.given.person();
    const { id } = await personal(anna.userId, { url: "https://127.0.0.1:9/path-secret?token=x" });
    await deleteWebhook(scene.db, as(anna), id);
    const rows = await scene.db
      .select({ url: sql`url`, secret: sql`secret`, key: sql`secret_key_id` })
      .from(sql`webhooks where id = ${id}`);
    expect(rows).toEqual([{ url: "https://127.0.0.1:9", secret: null, key: null }]);
  });

  test("old secrets are kept only for signatures, at most three, and deleted with a new origin and with the webhook", async () => {
    const anna = await scene.given.person();
    const signed = await personal(anna.userId);
    const keyed = await personal(anna.userId, { method: "api-key" });
    const regenerate = (id: string) => regenerateSecret(scene.db, scene.settings, as(anna), id);
    const kept = async () => {
      const rows = await scene.db
        .select()
        .from(schema.webhookOldSecrets)
        .where(inArray(schema.webhookOldSecrets.webhookId, [signed.id, keyed.id]));
      return rows.map((row) => [row.webhookId, scene.settings.keyring.decrypt(row, row.webhookId)]);
    };
    await regenerate(keyed.id);
    expect(await kept()).toEqual([]);
    const secrets = [signed.secret];
    for (let turn = 0; turn < 4; turn++) secrets.push((await regenerate(signed.id)).secret);
    expect(await kept()).toEqual(secrets.slice(1, 4).map((secret) => [signed.id, secret]));
    await updateWebhook(scene.db, scene.settings, as(anna), signed.id, { url: "https://127.0.0.1:10/" });
    expect(await kept()).toEqual([]);
    await regenerate(signed.id);
    expect(await kept()).toHaveLength(1);
    await deleteWebhook(scene.db, as(anna), signed.id);
    expect(await kept()).toEqual([]);
  });

  test("can be decrypted only with their key, unmodified, and for their own row", () => {
    const key = (text = generateSecretsKey()) => parseSecretsKey(text) ?? new Uint8Array();
    const [one, two] = [key(), key()];
    const sealed = createKeyring([one]).encrypt("ss_ü", "whk_1");
    expect(createKeyring([two, one]).decrypt(sealed, "whk_1")).toBe("ss_ü");
    expect(createKeyring([one]).encrypt("ss_ü", "whk_1")).not.toEqual(sealed);
    expect(() => createKeyring([two]).decrypt(sealed, "whk_1")).toThrow(UnknownKeyError);
    expect(() => createKeyring([one]).decrypt(sealed, "whk_2")).toThrow();
    const bent = { ...sealed, secret: sealed.secret.map((byte, at) => (at === 30 ? byte ^ 1 : byte)) };
    expect(() => createKeyring([one]).decrypt(bent, "whk_1")).toThrow();
    // A truncated tag over an empty text: one in four billion of them would be valid.
    const short = { ...sealed, secret: sealed.secret.slice(0, 16) };
    expect(() => createKeyring([one]).decrypt(short, "whk_1")).toThrow("authentication tag length");
    for (const bad of [
      "",
      "short",
      `${generateSecretsKey()}=`,
      ` ${generateSecretsKey()}`,
      generateSecretsKey().slice(4),
    ])
      expect(parseSecretsKey(bad)).toBeNull();
  });

  test("are re-encrypted when the first key changes; those of a missing key stay unchanged", async () => {
    const key = () => parseSecretsKey(generateSecretsKey()) ?? new Uint8Array();
    const [old, fresh, lost] = [key(), key(), key()];
    const madeWith = async (by: Uint8Array) =>
      createPersonalWebhook(
        scene.db,
        { ...scene.settings, keyring: createKeyring([by]) },
        (await scene.given.person()).userId,
        input,
      );
    const [kept, gone] = [await madeWith(old), await madeWith(lost)];
    const [before] = await scene.db.select().from(webhooks).where(eq(webhooks.id, kept.id));
    await scene.db.transaction(async (tx) => before && keepOldSecret(tx, kept.id, before));
    expect(await rotateSecrets(scene.db, createKeyring([fresh, old]))).toBe(1);
    const sealed = async ({ id }: { id: string }) => {
      const [row] = await scene.db
        .select({ secretKeyId: sql<string>`secret_key_id`, secret: sql<Uint8Array>`secret` })
        .from(sql`webhooks where id = ${id}`);
      return row ?? { secretKeyId: "", secret: new Uint8Array() };
    };
    expect(createKeyring([fresh]).decrypt(await sealed(kept), kept.id)).toBe(kept.secret);
    const [replaced] = await scene.db
      .select()
      .from(schema.webhookOldSecrets)
      .where(eq(schema.webhookOldSecrets.webhookId, kept.id));
    expect(replaced && createKeyring([fresh]).decrypt(replaced, kept.id)).toBe(kept.secret);
    expect(createKeyring([lost]).decrypt(await sealed(gone), gone.id)).toBe(gone.secret);
  });
});

import { schema } from "@minutes/db";
import { asUser, createPersonalWebhook, createWebhookScene, type WebhookScene } from "@minutes/testing";
import { eq, inArray, sql } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createKeyring, generateSecretsKey, parseSecretsKey } from "../../lib/keyring.js";
import { countUnreadable, rotateSecrets } from "../delivery/rotate-secrets.js";
import {
  deleteWebhook,
  getWebhook,
  listWebhooks,
  regenerateSecret,
  requireKeyring,
  updateWebhook,
} from "../index.js";
import { keepOldSecret } from "./change.js";

const URL = "https://127.0.0.1:9/hook";
const input = { name: "Mine", url: URL, method: "signature" } as const;

const { webhooks } = schema;

let scene: WebhookScene;
beforeAll(async () => {
  scene = await createWebhookScene();
});
afterAll(() => scene.close());

const as = ({ userId }: { userId: string }) => asUser(userId);

/** Returns the current secret of a webhook. */
async function storedSecret(webhookId: string): Promise<string> {
  const [row] = await scene.db.select().from(webhooks).where(eq(webhooks.id, webhookId));
  if (!row?.secretKeyId || !row.secret) throw new Error("The webhook has no secret.");
  return requireKeyring(scene.settings).decrypt(
    { secretKeyId: row.secretKeyId, secret: row.secret },
    webhookId,
  );
}

describe("secrets", () => {
  test("are shown once, and are in no later answer and not in the database", async () => {
    const anna = await scene.given.person();
    const created = [
      await scene.personalWebhook(anna, URL),
      await scene.personalWebhook(anna, URL, { method: "api-key" }),
    ];
    const again = await regenerateSecret(scene.db, scene.settings, as(anna), created[0]?.id ?? "");
    const secrets = [...created, again].map(({ secret }) => secret);
    expect(new Set(secrets).size).toBe(3);
    const shown = JSON.stringify([
      await listWebhooks(scene.db, asUser(anna.userId)),
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
      "tags",
      "format",
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
    const created = await scene.personalWebhook(anna, URL, { method: "api-key" });
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
    const { id } = await scene.personalWebhook(anna, "https://127.0.0.1:9/path-secret?token=x");
    await deleteWebhook(scene.db, as(anna), id);
    const rows = await scene.db
      .select({ url: sql`url`, secret: sql`secret`, key: sql`secret_key_id` })
      .from(sql`webhooks where id = ${id}`);
    expect(rows).toEqual([{ url: "https://127.0.0.1:9", secret: null, key: null }]);
  });

  test("old secrets are kept only for signatures, at most three, and deleted with a new origin and with the webhook", async () => {
    const anna = await scene.given.person();
    const signed = await scene.personalWebhook(anna, URL);
    const keyed = await scene.personalWebhook(anna, URL, { method: "api-key" });
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
    expect(() => createKeyring([two]).decrypt(sealed, "whk_1")).toThrow("not in SECRETS_KEY");
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
    expect(await rotateSecrets(scene.db, createKeyring([fresh, old]))).toBe(2);
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

  test("one that is damaged keeps none of the others from a new key, and is reported", async () => {
    const key = () => parseSecretsKey(generateSecretsKey()) ?? new Uint8Array();
    const [old, fresh] = [key(), key()];
    const made: string[] = [];
    for (let nth = 0; nth < 3; nth++) {
      const { userId } = await scene.given.person();
      const settings = { ...scene.settings, keyring: createKeyring([old]) };
      made.push((await createPersonalWebhook(scene.db, settings, userId, input)).id);
    }
    const [damaged = "", ...others] = made.sort();
    await scene.db
      .update(webhooks)
      .set({ secret: new Uint8Array(40) })
      .where(eq(webhooks.id, damaged));
    const ring = createKeyring([fresh, old]);
    const reports: object[] = [];
    expect(await rotateSecrets(scene.db, ring, (found) => reports.push(found))).toBe(2);
    expect(reports).toEqual([{ kind: "webhooks", count: 1, first: damaged }]);
    const rows = await scene.db
      .select({ id: webhooks.id, keyId: webhooks.secretKeyId })
      .from(webhooks)
      .where(inArray(webhooks.id, made));
    const rotated = rows.filter(({ keyId }) => keyId === ring.keyId).map(({ id }) => id);
    expect(rotated.sort()).toEqual(others);
    const unreadable = await countUnreadable(scene.db, ring);
    await scene.db.delete(webhooks).where(eq(webhooks.id, damaged));
    expect((await countUnreadable(scene.db, ring)).webhooks).toBe(unreadable.webhooks - 1);
  });
});

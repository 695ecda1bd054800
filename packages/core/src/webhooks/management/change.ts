import { hasDistinctHeaders, LIMITS, MESSAGES, type WebhookChange } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { audit } from "../../access/audit.js";
import type { Manager } from "../../access/callers.js";
import { ApiError } from "../../lib/errors.js";
import { requireKeyring, type WebhookServices } from "../services.js";
import { lockManagedWebhook, type ManagedWebhook } from "./access.js";
import { generateSecret, type WebhookWithSecret } from "./create.js";
import { getWebhook, type Webhook } from "./list.js";

const { deliveries, webhookOldSecrets, webhooks } = schema;

/** A changed webhook. `secret` is present if the change created a new one, which is shown only this time. */
export type ChangedWebhook = Webhook & { readonly secret?: string };

/**
 * Changes name, URL or header. Pending deliveries use the new values from their next attempt on. A URL with another
 * origin gets a new secret, because with the old one the new receiver could impersonate this service.
 * @see docs/decisions/0043-webhook-secrets.md
 * @throws ApiError 400 for a URL that deliveries must not go to, 404, 403
 */
export async function updateWebhook(
  db: Database,
  services: WebhookServices,
  caller: Manager,
  webhookId: string,
  change: WebhookChange,
): Promise<ChangedWebhook> {
  // Checks access first, so that nobody else can make the server resolve names.
  await lockManagedWebhook(db, caller, webhookId);
  const url = change.url === undefined ? undefined : await services.targetPolicy.checkUrl(change.url);
  let secret: string | undefined;
  await changeWebhook(
    db,
    caller,
    webhookId,
    "update",
    (webhook) => {
      const { headerName = webhook.headerName, headerPrefix = webhook.headerPrefix } = change;
      if (!hasDistinctHeaders({ ...webhook, headerName, headerPrefix }))
        throw new ApiError("BAD_REQUEST", MESSAGES.webhookHeadersCollide);
      if (url !== undefined && new URL(url).origin !== new URL(webhook.url).origin)
        secret = generateSecret(webhook.method);
      return {
        ...change,
        ...(url === undefined ? {} : { url }),
        ...(secret === undefined ? {} : requireKeyring(services).encrypt(secret, webhookId)),
      };
    },
    async (tx) => {
      // Old secrets must not sign deliveries to the new receiver, which could forward them to the old one.
      if (secret !== undefined)
        await tx.delete(webhookOldSecrets).where(eq(webhookOldSecrets.webhookId, webhookId));
    },
  );
  const changed = await getWebhook(db, caller, webhookId);
  return secret === undefined ? changed : { ...changed, secret };
}

/**
 * Disables a webhook until it is enabled again. Its pending deliveries are skipped.
 * @see docs/open-questions.md#q21
 */
export const disableWebhook = (db: Database, caller: Manager, webhookId: string) =>
  changeWebhook(
    db,
    caller,
    webhookId,
    "disable",
    () => ({ disabledAt: sql`now()`, ...notFailing }),
    (tx) => skipWaiting(tx, webhookId),
  );

/** Enables a webhook. Events while it was disabled are not sent. */
export const enableWebhook = (db: Database, caller: Manager, webhookId: string) => {
  let wasDisabled = false;
  return changeWebhook(
    db,
    caller,
    webhookId,
    "enable",
    ({ disabledAt }) => {
      wasDisabled = disabledAt !== null;
      return { disabledAt: null, ...(wasDisabled ? notFailing : {}) };
    },
    (tx) => (wasDisabled ? skipWaiting(tx, webhookId) : undefined),
  );
};

/**
 * Deletes a webhook. Erases its secret, and its URL except for the origin, because the rest can contain another secret.
 * Its deliveries stay in the log until they expire.
 */
export const deleteWebhook = (db: Database, caller: Manager, webhookId: string) =>
  changeWebhook(
    db,
    caller,
    webhookId,
    "delete",
    () => ({ deletedAt: sql`now()`, secret: null, secretKeyId: null, url: origin }),
    async (tx) => {
      await skipWaiting(tx, webhookId);
      await tx.delete(webhookOldSecrets).where(eq(webhookOldSecrets.webhookId, webhookId));
    },
  );

/**
 * Gives a webhook a new secret, used from the next attempt on. With the method `signature`, the old secret also signs
 * for 24 hours.
 */
export async function regenerateSecret(
  db: Database,
  services: WebhookServices,
  caller: Manager,
  webhookId: string,
): Promise<WebhookWithSecret> {
  let secret = "";
  let replaced: ManagedWebhook | undefined;
  await changeWebhook(
    db,
    caller,
    webhookId,
    "regenerate",
    (webhook) => {
      replaced = webhook;
      secret = generateSecret(webhook.method);
      return requireKeyring(services).encrypt(secret, webhookId);
    },
    (tx) => (replaced?.method === "signature" ? keepOldSecret(tx, webhookId, replaced) : undefined),
  );
  return { id: webhookId, secret };
}

const origin = sql`substring(${webhooks.url} from '^https://[^/?#]*')`;

/** Column values that reset a webhook's failures. */
const notFailing = { pausedAt: null, failingSince: null, failures: 0 } as const;

const skipWaiting = (tx: Database, webhookId: string) =>
  tx
    .update(deliveries)
    .set({ state: "skipped", finishedAt: sql`now()` })
    .where(and(eq(deliveries.webhookId, webhookId), inArray(deliveries.state, ["pending", "held"])));

async function changeWebhook(
  db: Database,
  caller: Manager,
  webhookId: string,
  action: "update" | "disable" | "enable" | "regenerate" | "delete",
  change: (webhook: ManagedWebhook) => PgUpdateSetSource<typeof webhooks>,
  then?: (tx: Database, webhookId: string) => PromiseLike<unknown> | undefined,
): Promise<void> {
  await db.transaction(async (tx) => {
    const webhook = await lockManagedWebhook(tx, caller, webhookId);
    await tx
      .update(webhooks)
      .set({ ...change(webhook), updatedAt: sql`now()` })
      .where(eq(webhooks.id, webhookId));
    await then?.(tx, webhookId);
    await audit(tx, caller, `webhook.${action}`, webhookId);
  });
}

/**
 * Keeps a replaced secret valid for 24 hours next to the new one, up to the latest three. Part of the caller's
 * transaction, which has locked the webhook.
 * @see docs/decisions/0043-webhook-secrets.md
 */
export async function keepOldSecret(
  tx: Database,
  webhookId: string,
  { secretKeyId, secret }: { readonly secretKeyId: string | null; readonly secret: Uint8Array | null },
): Promise<void> {
  if (secretKeyId === null || secret === null) return;
  const expiresAt = sql`now() + make_interval(hours => ${LIMITS.webhookOldSecretHours}::int)`;
  await tx.insert(webhookOldSecrets).values({ webhookId, secretKeyId, secret, expiresAt });
  await tx.delete(webhookOldSecrets).where(
    sql`${webhookOldSecrets.webhookId} = ${webhookId} and ${webhookOldSecrets.id} not in (
      select s.id from ${webhookOldSecrets} s where s.webhook_id = ${webhookId} order by s.id desc limit ${LIMITS.webhookOldSecrets})`,
  );
}

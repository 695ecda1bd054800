import { hasDistinctHeaders, MESSAGES, type WebhookChange } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, inArray, sql } from "drizzle-orm";
import type { Actor } from "../../actor.js";
import { audit } from "../../audit.js";
import { ApiError } from "../../errors.js";
import { requireKeyring, type WebhookSettings } from "../settings.js";
import { lockManagedWebhook, type ManagedWebhook } from "./access.js";
import { generateSecret, type WebhookWithSecret } from "./create.js";
import { getWebhook, type Webhook } from "./list.js";
import { keepOldSecret } from "./old-secrets.js";

const { deliveries, webhookOldSecrets, webhooks } = schema;

/** A webhook after a change. `secret` is there when the change made a new one: it is shown this one time. */
export type ChangedWebhook = Webhook & { readonly secret?: string };

/**
 * Changes name, address or header. Pending deliveries use the new values from their next attempt on. An address with
 * another origin gets a new secret, because the old one would tell the new receiver how to pass for this service.
 * @see docs/decisions/0090-new-origin-new-secret.md
 * @throws ApiError 400 for an address that deliveries may not go to, 404, 403.
 */
export async function updateWebhook(
  db: Database,
  settings: WebhookSettings,
  actor: Actor,
  webhookId: string,
  change: WebhookChange,
): Promise<ChangedWebhook> {
  // Checks access first, so that nobody else can make the server resolve names.
  await lockManagedWebhook(db, actor, webhookId);
  const url = change.url === undefined ? undefined : await settings.guard.checkUrl(change.url);
  let secret: string | undefined;
  await changeWebhook(
    db,
    actor,
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
        ...(secret === undefined ? {} : requireKeyring(settings).encrypt(secret, webhookId)),
      };
    },
    async (tx) => {
      // An old secret must not sign what the new receiver gets: it could pass it on to the old one.
      if (secret !== undefined)
        await tx.delete(webhookOldSecrets).where(eq(webhookOldSecrets.webhookId, webhookId));
    },
  );
  const changed = await getWebhook(db, actor, webhookId);
  return secret === undefined ? changed : { ...changed, secret };
}

/**
 * Stops a webhook until it is enabled again. Its pending deliveries are skipped.
 * @see docs/open-questions.md#q21
 */
export const disableWebhook = (db: Database, actor: Actor, webhookId: string) =>
  changeWebhook(
    db,
    actor,
    webhookId,
    "disable",
    () => ({ disabledAt: sql`now()`, ...notFailing }),
    (tx) => skipWaiting(tx, webhookId),
  );

/** Enables a webhook. What happened while it was disabled is not sent. */
export const enableWebhook = (db: Database, actor: Actor, webhookId: string) => {
  let wasDisabled = false;
  return changeWebhook(
    db,
    actor,
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
 * Stops a webhook for good. Erases its secret, and its address except for the origin, because the rest can hold another
 * secret. Its deliveries stay in the log until they are too old.
 */
export const deleteWebhook = (db: Database, actor: Actor, webhookId: string) =>
  changeWebhook(
    db,
    actor,
    webhookId,
    "delete",
    () => ({ deletedAt: sql`now()`, secret: null, secretKeyId: null, url: origin }),
    async (tx) => {
      await skipWaiting(tx, webhookId);
      await tx.delete(webhookOldSecrets).where(eq(webhookOldSecrets.webhookId, webhookId));
    },
  );

/**
 * Gives a webhook a new secret. The next attempt uses it. With the method `signature` the old secret signs besides, for
 * 24 hours.
 */
export async function regenerateSecret(
  db: Database,
  settings: WebhookSettings,
  actor: Actor,
  webhookId: string,
): Promise<WebhookWithSecret> {
  let secret = "";
  let replaced: ManagedWebhook | undefined;
  await changeWebhook(
    db,
    actor,
    webhookId,
    "regenerate",
    (webhook) => {
      replaced = webhook;
      secret = generateSecret(webhook.method);
      return requireKeyring(settings).encrypt(secret, webhookId);
    },
    (tx) => (replaced?.method === "signature" ? keepOldSecret(tx, webhookId, replaced) : undefined),
  );
  return { id: webhookId, secret };
}

const origin = sql`substring(${webhooks.url} from '^https://[^/?#]*')`;

/** A webhook whose failures are forgotten. */
const notFailing = { pausedAt: null, failingSince: null, failures: 0 } as const;

const skipWaiting = (tx: Database, webhookId: string) =>
  tx
    .update(deliveries)
    .set({ state: "skipped", finishedAt: sql`now()` })
    .where(and(eq(deliveries.webhookId, webhookId), inArray(deliveries.state, ["pending", "held"])));

type Change = Parameters<ReturnType<typeof updateWebhooks>["set"]>[0];
const updateWebhooks = (tx: Database) => tx.update(webhooks);

async function changeWebhook(
  db: Database,
  actor: Actor,
  webhookId: string,
  action: string,
  change: (webhook: ManagedWebhook) => Change,
  then?: (tx: Database, webhookId: string) => PromiseLike<unknown> | undefined,
): Promise<void> {
  await db.transaction(async (tx) => {
    const webhook = await lockManagedWebhook(tx, actor, webhookId);
    await updateWebhooks(tx)
      .set({ ...change(webhook), updatedAt: sql`now()` })
      .where(eq(webhooks.id, webhookId));
    await then?.(tx, webhookId);
    await audit(tx, actor, `webhook.${action}`, webhookId);
  });
}

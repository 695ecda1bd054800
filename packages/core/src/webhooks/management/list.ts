import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, gte, inArray, isNull, sql } from "drizzle-orm";
import type { Manager, UserCaller } from "../../access/callers.js";
import { ApiError } from "../../lib/errors.js";
import type { Keyring } from "../../lib/keyring.js";
import { isAdmin } from "../../workspaces/index.js";
import { isOwnedBy, lockManagedWebhook, type WebhookOwner } from "./access.js";
import { isMissed } from "./resume.js";

const { deliveries, users, webhooks } = schema;

const columns = {
  id: webhooks.id,
  kind: webhooks.kind,
  name: webhooks.name,
  url: webhooks.url,
  method: webhooks.method,
  headerName: webhooks.headerName,
  headerPrefix: webhooks.headerPrefix,
  events: webhooks.events,
  tags: webhooks.tags,
  format: webhooks.format,
  createdAt: webhooks.createdAt,
  disabledAt: webhooks.disabledAt,
  /** When sending was paused because of too many failures; null: not paused. */
  pausedAt: webhooks.pausedAt,
  /** Number of missed deliveries that resuming can send; 0 unless paused. */
  missed: sql<number>`case when ${webhooks.pausedAt} is null then 0 else (
    select count(*)::int from ${deliveries} where ${deliveries.webhookId} = ${webhooks.id} and ${isMissed}) end`,
  /** Null once the user is deleted. */
  createdBy: { userId: users.id, email: users.email },
};

const selectWebhooks = (db: Database) =>
  db.select(columns).from(webhooks).leftJoin(users, eq(users.id, webhooks.createdBy));

/** Lists the webhooks of a user or workspace, oldest first, without their secrets. */
const listWebhooksOf = (db: Database, owner: WebhookOwner) =>
  selectWebhooks(db)
    .where(and(isOwnedBy(owner), isNull(webhooks.deletedAt)))
    .orderBy(asc(webhooks.createdAt), asc(webhooks.id));

export type Webhook = Awaited<ReturnType<typeof listWebhooksOf>>[number];

/** The number of a webhook's deliveries in the last 24 hours, by result. */
interface WebhookHealth {
  readonly delivered: number;
  readonly failed: number;
  readonly pending: number;
}
type WebhookWithHealth = Webhook & { readonly health: WebhookHealth };

/**
 * Lists a user's own webhooks and those of their workspace. Every member sees the workspace's webhooks, because they
 * can read their logs. Members who are not admins see only the origin of a URL: the rest can be secret.
 */
export async function listWebhooks(
  db: Database,
  caller: UserCaller,
): Promise<{ personal: WebhookWithHealth[]; workspace: WebhookWithHealth[] }> {
  const { userId, workspaceId } = caller;
  const personal = await listWebhooksOf(db, { userId });
  const workspace = await listWebhooksOf(db, { workspaceId });
  const showsUrls = await isAdmin(db, caller, workspaceId);
  const health = await readHealth(
    db,
    [...personal, ...workspace].map(({ id }) => id),
  );
  const withHealth = (webhook: Webhook): WebhookWithHealth => ({ ...webhook, health: health(webhook.id) });
  return {
    personal: personal.map(withHealth),
    workspace: workspace.map((webhook) =>
      withHealth(showsUrls ? webhook : { ...webhook, url: new URL(webhook.url).origin }),
    ),
  };
}

/** Counts webhooks' deliveries in the last 24 hours. */
async function readHealth(
  db: Database,
  webhookIds: readonly string[],
): Promise<(webhookId: string) => WebhookHealth> {
  const rows =
    webhookIds.length === 0
      ? []
      : await db
          .select({ webhookId: deliveries.webhookId, state: deliveries.state, count: count() })
          .from(deliveries)
          .where(
            and(
              inArray(deliveries.webhookId, [...webhookIds]),
              gte(deliveries.createdAt, sql`now() - interval '24 hours'`),
            ),
          )
          .groupBy(deliveries.webhookId, deliveries.state);
  return (webhookId) => {
    const getCount = (state: string) =>
      rows.find((row) => row.webhookId === webhookId && row.state === state)?.count ?? 0;
    return { delivered: getCount("delivered"), failed: getCount("failed"), pending: getCount("pending") };
  };
}

/**
 * Returns one webhook without its secret.
 * @throws ApiError 404, or 403 for a member who is not an admin
 */
export async function getWebhook(db: Database, caller: Manager, webhookId: string): Promise<Webhook> {
  await lockManagedWebhook(db, caller, webhookId);
  const [webhook] = await selectWebhooks(db).where(eq(webhooks.id, webhookId));
  if (!webhook) throw new ApiError("NOT_FOUND", MESSAGES.webhookNotFound);
  return webhook;
}

/** Counts webhooks whose secret is encrypted with a key missing from the keyring. They receive nothing. */
export async function countUnreadableSecrets(db: Database, keyring: Keyring | null): Promise<number> {
  const keys = await db
    .select({ id: webhooks.secretKeyId, webhooks: sql<number>`count(*)::int` })
    .from(webhooks)
    .where(sql`${webhooks.secretKeyId} is not null`)
    .groupBy(webhooks.secretKeyId);
  return keys
    .filter(({ id }) => id !== null && !keyring?.has(id))
    .reduce((sum, key) => sum + key.webhooks, 0);
}

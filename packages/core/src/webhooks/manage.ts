import { LIMITS, MESSAGES, type NewWebhook, PLAN_LIMITS, type WebhookChange } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { newId } from "../ids.js";
import { newToken } from "../keys/index.js";
import { planOf } from "../plans/index.js";
import { lockMembership, type Membership } from "../workspaces/index.js";
import { type Held, heldWebhook } from "./access.js";
import { requireKeyring, type WebhookSettings } from "./context.js";

const { deliveries, webhooks, workspaces } = schema;

/** A webhook right after its creation, or after its secret was made anew: the one time that the secret is shown. */
export interface CreatedWebhook {
  readonly id: string;
  readonly secret: string;
}

/**
 * Creates a webhook for the user's own meetings.
 * @see docs/specification.md#events
 * @throws ApiError 400 for an address that can't be called, 403 on the free plan, 409 when he has three.
 */
export async function createPersonalWebhook(
  db: Database,
  settings: WebhookSettings,
  userId: string,
  input: NewWebhook,
): Promise<CreatedWebhook> {
  const url = await settings.guard.checkUrl(input.url);
  return db.transaction(async (tx) => {
    // The lock makes creations for one holder wait for one another, so that the count can't be outrun.
    const { workspaceId } = await lockMembership(tx, userId);
    await requirePlan(tx, workspaceId);
    if ((await countOf(tx, eq(webhooks.userId, userId))) >= LIMITS.personalWebhooksPerUser)
      throw new ApiError("CONFLICT", MESSAGES.tooManyPersonalWebhooks);
    return insertWebhook(tx, settings, userId, { ...input, url, kind: "personal", userId });
  });
}

/**
 * Creates a webhook for all meetings of the workspace that the user is in, who must be an admin there.
 * @throws ApiError 400 for an address that can't be called, 403 for anybody else and on the free plan, 409 when the
 *   workspace has five.
 */
export async function createWorkspaceWebhook(
  db: Database,
  settings: WebhookSettings,
  userId: string,
  input: NewWebhook,
): Promise<CreatedWebhook> {
  const url = await settings.guard.checkUrl(input.url);
  return db.transaction(async (tx) => {
    const { workspaceId, role } = await lockMembership(tx, userId);
    if (role !== "admin") throw new ApiError("FORBIDDEN", MESSAGES.onlyAdminsMakeWorkspaceWebhooks);
    await requirePlan(tx, workspaceId);
    if ((await countOf(tx, eq(webhooks.workspaceId, workspaceId))) >= LIMITS.workspaceWebhooksPerWorkspace)
      throw new ApiError("CONFLICT", MESSAGES.tooManyWorkspaceWebhooks);
    return insertWebhook(tx, settings, userId, { ...input, url, kind: "workspace", workspaceId });
  });
}

/** Holds the workspace until the transaction ends. @throws ApiError 403 when its plan has no webhooks. */
async function requirePlan(tx: Database, workspaceId: string): Promise<void> {
  const [workspace] = await tx
    .select({ plan: workspaces.plan })
    .from(workspaces)
    .where(eq(workspaces.id, workspaceId))
    .for("update");
  if (!PLAN_LIMITS[planOf(workspace?.plan ?? "")].webhooks)
    throw new ApiError("FORBIDDEN", MESSAGES.webhooksNeedPlan);
}

/** @throws ApiError 403 when the plan of the webhook's holder has no webhooks any more. */
export async function requireWebhooks(tx: Database, { userId, workspaceId }: Held): Promise<void> {
  await requirePlan(tx, workspaceId ?? (await lockMembership(tx, userId ?? "")).workspaceId);
}

async function countOf(tx: Database, holder: SQL): Promise<number> {
  const [row] = await tx
    .select({ count: count() })
    .from(webhooks)
    .where(and(holder, isNull(webhooks.deletedAt)));
  return row?.count ?? 0;
}

type Insert = NewWebhook & { kind: schema.WebhookKind; userId?: string; workspaceId?: string };

async function insertWebhook(
  tx: Database,
  settings: WebhookSettings,
  creatorId: string,
  { headerName, ...webhook }: Insert,
): Promise<CreatedWebhook> {
  const id = newId("whk");
  const secret = newSecret(webhook.method);
  const sealed = requireKeyring(settings).seal(secret, id);
  await tx.insert(webhooks).values({
    id,
    ...webhook,
    ...sealed,
    headerName: webhook.method === "api-key" ? (headerName ?? "x-service-api-key") : null,
  });
  await audit(tx, { kind: "user", userId: creatorId }, "webhook.create", id);
  return { id, secret };
}

const newSecret = (method: NewWebhook["method"]): string => newToken(method === "api-key" ? "sk_" : "ss_");

const shown = {
  id: webhooks.id,
  kind: webhooks.kind,
  name: webhooks.name,
  url: webhooks.url,
  method: webhooks.method,
  headerName: webhooks.headerName,
  createdAt: webhooks.createdAt,
  disabledAt: webhooks.disabledAt,
};

/** The webhooks of a user or of a workspace, oldest first; never their secrets. */
export const listWebhooks = (db: Database, holder: { userId: string } | { workspaceId: string }) =>
  db
    .select(shown)
    .from(webhooks)
    .where(
      and(
        "userId" in holder
          ? eq(webhooks.userId, holder.userId)
          : eq(webhooks.workspaceId, holder.workspaceId),
        isNull(webhooks.deletedAt),
      ),
    )
    .orderBy(asc(webhooks.createdAt), asc(webhooks.id));

export type Webhook = Awaited<ReturnType<typeof listWebhooks>>[number];

/**
 * A user's own webhooks and those of his workspace. Every member may know of these, since their log is his to read;
 * unless he is an admin, he sees the host of their addresses alone: the rest can hold a secret.
 */
export async function listWebhooksOf(
  db: Database,
  { userId, workspaceId, role }: Membership,
): Promise<{ personal: Webhook[]; workspace: Webhook[] }> {
  const workspace = await listWebhooks(db, { workspaceId });
  return {
    personal: await listWebhooks(db, { userId }),
    workspace:
      role === "admin" ? workspace : workspace.map((one) => ({ ...one, url: new URL(one.url).origin })),
  };
}

/** @throws ApiError 404, or 403 unless the actor may manage it. */
export async function getWebhook(db: Database, actor: Actor, webhookId: string): Promise<Webhook> {
  await heldWebhook(db, actor, webhookId);
  const [webhook] = await db.select(shown).from(webhooks).where(eq(webhooks.id, webhookId));
  if (!webhook) throw new ApiError("NOT_FOUND", MESSAGES.webhookNotFound);
  return webhook;
}

/**
 * Changes name, address or header; deliveries on their way take the new ones from their next attempt on.
 * @throws ApiError 400 for an address that can't be called, 404, 403.
 */
export async function updateWebhook(
  db: Database,
  settings: WebhookSettings,
  actor: Actor,
  webhookId: string,
  change: WebhookChange,
): Promise<Webhook> {
  const { name, headerName } = change;
  // Who may not change it has nothing resolved, either.
  await heldWebhook(db, actor, webhookId);
  const url = change.url === undefined ? undefined : await settings.guard.checkUrl(change.url);
  await changeWebhook(db, actor, webhookId, "update", ({ method }) => {
    if (headerName !== undefined && method !== "api-key")
      throw new ApiError("BAD_REQUEST", MESSAGES.webhookHasNoHeader);
    return {
      ...(name === undefined ? {} : { name }),
      ...(url === undefined ? {} : { url }),
      ...(headerName === undefined ? {} : { headerName }),
    };
  });
  return getWebhook(db, actor, webhookId);
}

/** Stops a webhook until it is enabled again; what is on its way to it is skipped. @see docs/open-questions.md#q21 */
export const disableWebhook = (db: Database, actor: Actor, webhookId: string) =>
  changeWebhook(db, actor, webhookId, "disable", () => ({ disabledAt: sql`now()` }), skipPending);

export const enableWebhook = (db: Database, actor: Actor, webhookId: string) =>
  changeWebhook(db, actor, webhookId, "enable", () => ({ disabledAt: null }));

/**
 * Stops a webhook for good and forgets its secret, and of its address everything but the host, which can hold another;
 * its deliveries stay in the log for their time.
 */
export const deleteWebhook = (db: Database, actor: Actor, webhookId: string) =>
  changeWebhook(
    db,
    actor,
    webhookId,
    "delete",
    () => ({ deletedAt: sql`now()`, secret: null, secretKeyId: null, url: origin }),
    skipPending,
  );

/** Gives a webhook a new secret; the next attempt uses it. */
export async function regenerateSecret(
  db: Database,
  settings: WebhookSettings,
  actor: Actor,
  webhookId: string,
): Promise<CreatedWebhook> {
  let secret = "";
  await changeWebhook(db, actor, webhookId, "regenerate", ({ method }) => {
    secret = newSecret(method);
    return requireKeyring(settings).seal(secret, webhookId);
  });
  return { id: webhookId, secret };
}

const origin = sql`substring(${webhooks.url} from '^https://[^/?#]*')`;

const skipPending = (tx: Database, webhookId: string) =>
  tx
    .update(deliveries)
    .set({ state: "skipped", finishedAt: sql`now()` })
    .where(and(eq(deliveries.webhookId, webhookId), eq(deliveries.state, "pending")));

type Change = Parameters<ReturnType<typeof updateWebhooks>["set"]>[0];
const updateWebhooks = (tx: Database) => tx.update(webhooks);

async function changeWebhook(
  db: Database,
  actor: Actor,
  webhookId: string,
  action: string,
  change: (webhook: Held) => Change,
  then?: (tx: Database, webhookId: string) => PromiseLike<unknown>,
): Promise<void> {
  await db.transaction(async (tx) => {
    const webhook = await heldWebhook(tx, actor, webhookId);
    await updateWebhooks(tx)
      .set({ ...change(webhook), updatedAt: sql`now()` })
      .where(eq(webhooks.id, webhookId));
    await then?.(tx, webhookId);
    await audit(tx, actor, `webhook.${action}`, webhookId);
  });
}

import { LIMITS, MESSAGES, type NewWebhook, PLAN_LIMITS, toAuthHeaderName } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, count, eq, isNull, type SQL } from "drizzle-orm";
import { audit } from "../../audit.js";
import { ApiError } from "../../errors.js";
import { generateId } from "../../ids.js";
import { generateToken } from "../../keys/index.js";
import { parsePlan } from "../../plans/index.js";
import { lockMembership, lockWorkspace } from "../../workspaces/index.js";
import { requireKeyring, type WebhookSettings } from "../settings.js";
import type { ManagedWebhook } from "./access.js";

const { webhooks } = schema;

/** A webhook whose secret is new. The secret is shown this one time. */
export interface WebhookWithSecret {
  readonly id: string;
  readonly secret: string;
}

/**
 * Creates a webhook for the user's own meetings.
 * @throws ApiError 400 for an address that deliveries may not go to, 403 on the free plan, 409 when the user has three.
 * @see docs/specification.md#events
 */
export async function createPersonalWebhook(
  db: Database,
  settings: WebhookSettings,
  userId: string,
  input: NewWebhook,
): Promise<WebhookWithSecret> {
  const url = await settings.guard.checkUrl(input.url);
  return db.transaction(async (tx) => {
    // Locks the membership, so that creations at the same time can't exceed the limit.
    const { workspaceId } = await lockMembership(tx, userId);
    await requirePlan(tx, workspaceId);
    if ((await countWebhooks(tx, eq(webhooks.userId, userId))) >= LIMITS.personalWebhooksPerUser)
      throw new ApiError("CONFLICT", MESSAGES.tooManyPersonalWebhooks);
    return insertWebhook(tx, settings, userId, { ...input, url, kind: "personal", userId });
  });
}

/**
 * Creates a webhook for all meetings of the workspace that the user is in. The user must be an admin there.
 * @throws ApiError 400 for an address that deliveries may not go to, 403 for anybody else and on the free plan, 409
 *   when the workspace has five.
 * @see docs/specification.md#events
 */
export async function createWorkspaceWebhook(
  db: Database,
  settings: WebhookSettings,
  userId: string,
  input: NewWebhook,
): Promise<WebhookWithSecret> {
  const url = await settings.guard.checkUrl(input.url);
  return db.transaction(async (tx) => {
    const { workspaceId, role } = await lockMembership(tx, userId);
    if (role !== "admin") throw new ApiError("FORBIDDEN", MESSAGES.onlyAdminsMakeWorkspaceWebhooks);
    await requirePlan(tx, workspaceId);
    if (
      (await countWebhooks(tx, eq(webhooks.workspaceId, workspaceId))) >= LIMITS.workspaceWebhooksPerWorkspace
    )
      throw new ApiError("CONFLICT", MESSAGES.tooManyWorkspaceWebhooks);
    return insertWebhook(tx, settings, userId, { ...input, url, kind: "workspace", workspaceId });
  });
}

/** Locks the workspace until the transaction ends. @throws ApiError 403 when its plan has no webhooks. */
async function requirePlan(tx: Database, workspaceId: string): Promise<void> {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (!PLAN_LIMITS[parsePlan(workspace?.plan ?? "")].webhooks)
    throw new ApiError("FORBIDDEN", MESSAGES.webhooksNeedPlan);
}

/**
 * Checks the plan of the workspace that a webhook belongs to now.
 * @throws ApiError 403 when the plan has no webhooks any more.
 */
export async function requireWebhookPlan(
  tx: Database,
  { userId, workspaceId }: ManagedWebhook,
): Promise<void> {
  await requirePlan(tx, workspaceId ?? (await lockMembership(tx, userId ?? "")).workspaceId);
}

async function countWebhooks(tx: Database, owner: SQL): Promise<number> {
  const [row] = await tx
    .select({ count: count() })
    .from(webhooks)
    .where(and(owner, isNull(webhooks.deletedAt)));
  return row?.count ?? 0;
}

type Insert = NewWebhook & { kind: schema.WebhookKind; userId?: string; workspaceId?: string };

async function insertWebhook(
  tx: Database,
  settings: WebhookSettings,
  creatorId: string,
  webhook: Insert,
): Promise<WebhookWithSecret> {
  const id = generateId("whk");
  const secret = generateSecret(webhook.method);
  const sealed = requireKeyring(settings).encrypt(secret, id);
  await tx.insert(webhooks).values({
    id,
    ...webhook,
    ...sealed,
    createdBy: creatorId,
    // A secret's header is stored, so that a later default doesn't move it.
    headerName: webhook.headerName ?? (webhook.method === "api-key" ? toAuthHeaderName(webhook) : null),
  });
  await audit(tx, { kind: "user", userId: creatorId }, "webhook.create", id);
  return { id, secret };
}

/** Generates a secret: `sk_…` to send in a header, `ss_…` to sign with. */
export const generateSecret = (method: NewWebhook["method"]): string =>
  generateToken(method === "api-key" ? "sk_" : "ss_");

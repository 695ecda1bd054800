import { LIMITS, MESSAGES, type NewWebhook, PLAN_LIMITS, toAuthHeaderName } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, count, eq, isNull, type SQL } from "drizzle-orm";
import { audit } from "../../audit.js";
import { ApiError } from "../../errors.js";
import { generateId } from "../../ids.js";
import { generateToken } from "../../keys/index.js";
import { parsePlan } from "../../plans/index.js";
import { lockMembership, lockWorkspace } from "../../workspaces/index.js";
import { requireKeyring, type WebhookServices } from "../services.js";
import type { ManagedWebhook } from "./access.js";

const { webhooks } = schema;

/** A webhook with a new secret, which is shown only this time. */
export interface WebhookWithSecret {
  readonly id: string;
  readonly secret: string;
}

/**
 * Creates a webhook for the user's own meetings.
 * @throws ApiError 400 for a URL that deliveries must not go to, 403 on the free plan, 409 if the user has three
 * @see docs/specification.md#events
 */
export async function createPersonalWebhook(
  db: Database,
  services: WebhookServices,
  userId: string,
  input: NewWebhook,
): Promise<WebhookWithSecret> {
  const url = await services.targetPolicy.checkUrl(input.url);
  return db.transaction(async (tx) => {
    // Locks the membership, so that concurrent creations can't exceed the limit.
    const { workspaceId } = await lockMembership(tx, userId, "no key update");
    await requirePlan(tx, workspaceId);
    if ((await countWebhooks(tx, eq(webhooks.userId, userId))) >= LIMITS.personalWebhooksPerUser)
      throw new ApiError("CONFLICT", MESSAGES.tooManyPersonalWebhooks);
    return insertWebhook(tx, services, userId, { ...input, url, kind: "personal", userId });
  });
}

/**
 * Creates a webhook for all meetings of the user's current workspace.
 * @throws ApiError 400 for a URL that deliveries must not go to, 403 unless the user is an admin, and on the free plan;
 * 409 if the workspace has five
 * @see docs/specification.md#events
 */
export async function createWorkspaceWebhook(
  db: Database,
  services: WebhookServices,
  userId: string,
  input: NewWebhook,
): Promise<WebhookWithSecret> {
  const url = await services.targetPolicy.checkUrl(input.url);
  return db.transaction(async (tx) => {
    const { workspaceId, role } = await lockMembership(tx, userId, "no key update");
    if (role !== "admin") throw new ApiError("FORBIDDEN", MESSAGES.onlyAdminsMakeWorkspaceWebhooks);
    await requirePlan(tx, workspaceId);
    if (
      (await countWebhooks(tx, eq(webhooks.workspaceId, workspaceId))) >= LIMITS.workspaceWebhooksPerWorkspace
    )
      throw new ApiError("CONFLICT", MESSAGES.tooManyWorkspaceWebhooks);
    return insertWebhook(tx, services, userId, { ...input, url, kind: "workspace", workspaceId });
  });
}

/** Locks the workspace until the transaction ends. @throws ApiError 403 if its plan has no webhooks */
async function requirePlan(tx: Database, workspaceId: string): Promise<void> {
  const workspace = await lockWorkspace(tx, workspaceId);
  if (!PLAN_LIMITS[parsePlan(workspace?.plan ?? "")].webhooks)
    throw new ApiError("FORBIDDEN", MESSAGES.webhooksNeedPlan);
}

/**
 * Checks the plan of a webhook's current workspace.
 * @throws ApiError 403 if the plan no longer has webhooks
 */
export async function requireWebhookPlan(
  tx: Database,
  { userId, workspaceId }: ManagedWebhook,
): Promise<void> {
  await requirePlan(tx, workspaceId ?? (await lockMembership(tx, userId ?? "", "no key update")).workspaceId);
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
  services: WebhookServices,
  creatorId: string,
  webhook: Insert,
): Promise<WebhookWithSecret> {
  const id = generateId("whk");
  const secret = generateSecret(webhook.method);
  const sealed = requireKeyring(services).encrypt(secret, id);
  await tx.insert(webhooks).values({
    id,
    ...webhook,
    ...sealed,
    createdBy: creatorId,
    // The header of a secret is stored, so that it does not change with a later default.
    headerName: webhook.headerName ?? (webhook.method === "api-key" ? toAuthHeaderName(webhook) : null),
  });
  await audit(tx, { kind: "user", userId: creatorId }, "webhook.create", id);
  return { id, secret };
}

/** Generates a secret: `sk_…` to send in a header, `ss_…` to sign with. */
export const generateSecret = (method: NewWebhook["method"]): string =>
  generateToken(method === "api-key" ? "sk_" : "ss_");

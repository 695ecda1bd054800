import { LIMITS, MESSAGES, type NewWebhook, PLAN_LIMITS, toAuthHeaderName } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, count, isNull } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { UserCaller } from "../../access/callers.js";
import { generateToken } from "../../keys/index.js";
import { ApiError } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { lockMembership, lockWorkspace } from "../../workspaces/index.js";
import { parsePlan } from "../../workspaces/plans/index.js";
import { requireKeyring, type WebhookServices } from "../services.js";
import { isOwnedBy, type ManagedWebhook, type WebhookOwner } from "./access.js";

const { webhooks } = schema;

/** A webhook with a new secret, which is shown only this time. */
export interface WebhookWithSecret {
  readonly id: string;
  readonly secret: string;
}

/** A webhook to create, for the caller's own meetings or for all of their workspace. */
export type NewWebhookOfKind = NewWebhook & { readonly kind: schema.WebhookKind };

/**
 * Creates a webhook of the user's or, for an admin, of their workspace.
 * @throws ApiError 400 for a URL that deliveries must not go to; 403 on the free plan, and for a workspace's unless the
 * user is an admin; 409 if the user has three, or the workspace five
 * @see docs/specification.md#events
 */
export async function createWebhook(
  db: Database,
  services: WebhookServices,
  caller: UserCaller,
  { kind, ...webhook }: NewWebhookOfKind,
): Promise<WebhookWithSecret> {
  const url = await services.targetPolicy.checkUrl(webhook.url);
  return db.transaction(async (tx) => {
    // Locks the membership, so that concurrent creations can't exceed the limit.
    const { userId, workspaceId, role } = await lockMembership(tx, caller.userId, "no key update");
    const { owner, max, tooMany } =
      kind === "personal"
        ? {
            owner: { userId },
            max: LIMITS.personalWebhooksPerUser,
            tooMany: MESSAGES.tooManyPersonalWebhooks,
          }
        : {
            owner: { workspaceId },
            max: LIMITS.workspaceWebhooksPerWorkspace,
            tooMany: MESSAGES.tooManyWorkspaceWebhooks,
          };
    if (kind === "workspace" && role !== "admin")
      throw new ApiError("FORBIDDEN", MESSAGES.onlyAdminsMakeWorkspaceWebhooks);
    await requirePlan(tx, workspaceId);
    if ((await countWebhooks(tx, owner)) >= max) throw new ApiError("CONFLICT", tooMany);
    return insertWebhook(tx, services, caller, { ...webhook, url, kind, ...owner });
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

async function countWebhooks(tx: Database, owner: WebhookOwner): Promise<number> {
  const [row] = await tx
    .select({ count: count() })
    .from(webhooks)
    .where(and(isOwnedBy(owner), isNull(webhooks.deletedAt)));
  return row?.count ?? 0;
}

type Insert = NewWebhook & { kind: schema.WebhookKind; userId?: string; workspaceId?: string };

async function insertWebhook(
  tx: Database,
  services: WebhookServices,
  caller: UserCaller,
  webhook: Insert,
): Promise<WebhookWithSecret> {
  const id = generateId("whk");
  const secret = generateSecret(webhook.method);
  const sealed = requireKeyring(services).encrypt(secret, id);
  await tx.insert(webhooks).values({
    id,
    ...webhook,
    ...sealed,
    createdBy: caller.userId,
    // The header of a secret is stored, so that it does not change with a later default.
    headerName: webhook.headerName ?? (webhook.method === "api-key" ? toAuthHeaderName(webhook) : null),
  });
  await audit(tx, caller, "webhook.create", id);
  return { id, secret };
}

/** Generates a secret: `sk_…` to send in a header, `ss_…` to sign with. */
export const generateSecret = (method: NewWebhook["method"]): string =>
  generateToken(method === "api-key" ? "sk_" : "ss_");

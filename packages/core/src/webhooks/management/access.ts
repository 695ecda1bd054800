import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, type SQL } from "drizzle-orm";
import type { Manager } from "../../access/callers.js";
import { ApiError } from "../../lib/errors.js";

const { members, webhooks } = schema;

/** The columns that determine who can manage a webhook. */
export type ManagedWebhook = Pick<
  typeof webhooks.$inferSelect,
  | "userId"
  | "workspaceId"
  | "method"
  | "url"
  | "headerName"
  | "headerPrefix"
  | "secretKeyId"
  | "secret"
  | "disabledAt"
  | "pausedAt"
  | "failingSince"
>;

const columns = {
  userId: webhooks.userId,
  workspaceId: webhooks.workspaceId,
  method: webhooks.method,
  url: webhooks.url,
  headerName: webhooks.headerName,
  headerPrefix: webhooks.headerPrefix,
  secretKeyId: webhooks.secretKeyId,
  secret: webhooks.secret,
  disabledAt: webhooks.disabledAt,
  pausedAt: webhooks.pausedAt,
  failingSince: webhooks.failingSince,
  deletedAt: webhooks.deletedAt,
};

/** Whose webhook it is: a user's or a workspace's. */
export type WebhookOwner = { readonly userId: string } | { readonly workspaceId: string };

/** Builds the condition that a webhook has an owner. */
export const isOwnedBy = (owner: WebhookOwner): SQL =>
  "userId" in owner ? eq(webhooks.userId, owner.userId) : eq(webhooks.workspaceId, owner.workspaceId);

/**
 * Returns the caller's role for a webhook. The creator manages a personal webhook, and the workspace's admins manage a
 * workspace webhook. Every member of the workspace can read the log of a workspace webhook. For everyone else it does
 * not exist.
 */
async function getWebhookRole(
  db: Database,
  caller: Manager,
  { userId, workspaceId }: Pick<ManagedWebhook, "userId" | "workspaceId">,
): Promise<"manager" | "reader" | "none"> {
  if (caller.kind === "operator" || caller.userId === userId) return "manager";
  if (workspaceId === null) return "none";
  const [member] = await db
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.userId, caller.userId), eq(members.workspaceId, workspaceId)));
  if (!member) return "none";
  return member.role === "admin" ? "manager" : "reader";
}

/**
 * Locks a webhook that the caller manages until the transaction ends.
 * @param notFound message of the 404, the same for another user's webhook and for an unknown one
 * @throws ApiError 404, including for a deleted webhook; 403 for a member who is not an admin
 */
export async function lockManagedWebhook(
  tx: Database,
  caller: Manager,
  webhookId: string,
  notFound: string = MESSAGES.webhookNotFound,
): Promise<ManagedWebhook> {
  const [webhook] = await tx.select(columns).from(webhooks).where(eq(webhooks.id, webhookId)).for("update");
  const role = webhook ? await getWebhookRole(tx, caller, webhook) : "none";
  if (!webhook || role === "none") throw new ApiError("NOT_FOUND", notFound);
  if (role === "reader") throw new ApiError("FORBIDDEN", MESSAGES.onlyAdmins);
  if (webhook.deletedAt !== null) throw new ApiError("NOT_FOUND", MESSAGES.webhookNotFound);
  return webhook;
}

/**
 * Checks that the caller can read a webhook's log, even after the webhook was deleted.
 * @param notFound message of the 404
 * @throws ApiError 404
 */
export async function requireLogReader(
  db: Database,
  caller: Manager,
  webhookId: string,
  notFound: string = MESSAGES.webhookNotFound,
): Promise<void> {
  const [webhook] = await db.select(columns).from(webhooks).where(eq(webhooks.id, webhookId));
  if (!webhook || (await getWebhookRole(db, caller, webhook)) === "none")
    throw new ApiError("NOT_FOUND", notFound);
}

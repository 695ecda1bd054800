import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import type { Actor } from "../../actor.js";
import { ApiError } from "../../errors.js";

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

/**
 * Returns the actor's role for a webhook. The creator manages a personal webhook, and the workspace's admins manage a
 * workspace webhook. Every member of the workspace can read the log of a workspace webhook. For everyone else it does
 * not exist.
 */
async function getWebhookRole(
  db: Database,
  actor: Actor,
  { userId, workspaceId }: Pick<ManagedWebhook, "userId" | "workspaceId">,
): Promise<"manager" | "reader" | "none"> {
  if (actor.kind === "operator" || actor.userId === userId) return "manager";
  if (workspaceId === null) return "none";
  const [member] = await db
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.userId, actor.userId), eq(members.workspaceId, workspaceId)));
  if (!member) return "none";
  return member.role === "admin" ? "manager" : "reader";
}

/**
 * Locks a webhook that the actor manages until the transaction ends.
 * @param notFound message of the 404, the same for another user's webhook and for an unknown one
 * @throws ApiError 404, including for a deleted webhook; 403 for a member who is not an admin
 */
export async function lockManagedWebhook(
  tx: Database,
  actor: Actor,
  webhookId: string,
  notFound: string = MESSAGES.webhookNotFound,
): Promise<ManagedWebhook> {
  const [webhook] = await tx.select(columns).from(webhooks).where(eq(webhooks.id, webhookId)).for("update");
  const role = webhook ? await getWebhookRole(tx, actor, webhook) : "none";
  if (!webhook || role === "none") throw new ApiError("NOT_FOUND", notFound);
  if (role === "reader") throw new ApiError("FORBIDDEN", MESSAGES.onlyAdmins);
  if (webhook.deletedAt !== null) throw new ApiError("NOT_FOUND", MESSAGES.webhookNotFound);
  return webhook;
}

/**
 * Checks that the actor can read a webhook's log, even after the webhook was deleted.
 * @param notFound message of the 404
 * @throws ApiError 404
 */
export async function requireLogReader(
  db: Database,
  actor: Actor,
  webhookId: string,
  notFound: string = MESSAGES.webhookNotFound,
): Promise<void> {
  const [webhook] = await db.select(columns).from(webhooks).where(eq(webhooks.id, webhookId));
  if (!webhook || (await getWebhookRole(db, actor, webhook)) === "none")
    throw new ApiError("NOT_FOUND", notFound);
}

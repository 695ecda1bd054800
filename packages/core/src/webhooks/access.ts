import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { ApiError } from "../errors.js";

const { members, webhooks } = schema;

export type Held = Pick<typeof webhooks.$inferSelect, "userId" | "workspaceId" | "method" | "disabledAt">;
type Holder = Pick<Held, "userId" | "workspaceId">;

/**
 * What somebody is to a webhook: the creator of a personal one and the admins of a workspace manage theirs, every
 * member of the workspace may read its log, and to all others it does not exist.
 */
async function standing(
  db: Database,
  actor: Actor,
  { userId, workspaceId }: Holder,
): Promise<"manager" | "reader" | "stranger"> {
  if (actor.kind === "operator" || actor.userId === userId) return "manager";
  if (workspaceId === null) return "stranger";
  const [member] = await db
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.userId, actor.userId), eq(members.workspaceId, workspaceId)));
  if (!member) return "stranger";
  return member.role === "admin" ? "manager" : "reader";
}

const columns = {
  userId: webhooks.userId,
  workspaceId: webhooks.workspaceId,
  method: webhooks.method,
  disabledAt: webhooks.disabledAt,
  deletedAt: webhooks.deletedAt,
};

/**
 * A webhook that the actor manages, held until the transaction ends.
 * @param unknown what a stranger is told: the same as of one that never was.
 * @throws ApiError 404, also when it is deleted; 403 for a member who is no admin.
 */
export async function heldWebhook(
  tx: Database,
  actor: Actor,
  webhookId: string,
  unknown: string = MESSAGES.webhookNotFound,
): Promise<Held> {
  const [webhook] = await tx.select(columns).from(webhooks).where(eq(webhooks.id, webhookId)).for("update");
  const is = webhook ? await standing(tx, actor, webhook) : "stranger";
  if (!webhook || is === "stranger") throw new ApiError("NOT_FOUND", unknown);
  if (is === "reader") throw new ApiError("FORBIDDEN", MESSAGES.onlyAdmins);
  if (webhook.deletedAt !== null) throw new ApiError("NOT_FOUND", MESSAGES.webhookNotFound);
  return webhook;
}

/**
 * Lets pass who may read a webhook's log, which outlives the webhook.
 * @throws ApiError 404
 */
export async function requireReader(
  db: Database,
  actor: Actor,
  webhookId: string,
  unknown: string = MESSAGES.webhookNotFound,
): Promise<void> {
  const [webhook] = await db.select(columns).from(webhooks).where(eq(webhooks.id, webhookId));
  if (!webhook || (await standing(db, actor, webhook)) === "stranger")
    throw new ApiError("NOT_FOUND", unknown);
}

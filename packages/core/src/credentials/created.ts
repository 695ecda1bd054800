import { type Database, schema } from "@minutes/db";
import { and, asc, eq, isNull } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { revokeIngestKey, revokeKey } from "../keys/index.js";
import { deleteWebhook } from "../webhooks/index.js";
import { requireAdmin } from "../workspaces/index.js";

const { apiKeys, ingestKeys, webhooks } = schema;

/** A credential of a workspace that works on after its creator has left or is no longer an admin. */
export interface CreatedCredential {
  readonly kind: "workspace key" | "ingest key" | "workspace webhook";
  readonly id: string;
  readonly name: string;
}

/**
 * Lists the credentials that a user created for a workspace and that were neither revoked nor deleted.
 * @throws ApiError 403 unless the actor is an admin of the workspace or the operator.
 */
export async function listCreatedCredentials(
  db: Database,
  actor: Actor,
  workspaceId: string,
  userId: string,
): Promise<CreatedCredential[]> {
  await requireAdmin(db, actor, workspaceId);
  const keys = await db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(
      and(eq(apiKeys.createdBy, userId), eq(apiKeys.workspaceId, workspaceId), isNull(apiKeys.revokedAt)),
    )
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
  const recorders = await db
    .select({ id: ingestKeys.id, name: ingestKeys.name })
    .from(ingestKeys)
    .where(
      and(
        eq(ingestKeys.createdBy, userId),
        eq(ingestKeys.workspaceId, workspaceId),
        isNull(ingestKeys.revokedAt),
      ),
    )
    .orderBy(asc(ingestKeys.createdAt), asc(ingestKeys.id));
  const hooks = await db
    .select({ id: webhooks.id, name: webhooks.name })
    .from(webhooks)
    .where(
      and(eq(webhooks.createdBy, userId), eq(webhooks.workspaceId, workspaceId), isNull(webhooks.deletedAt)),
    )
    .orderBy(asc(webhooks.createdAt), asc(webhooks.id));
  return [
    ...keys.map((key) => ({ kind: "workspace key", ...key }) as const),
    ...recorders.map((key) => ({ kind: "ingest key", ...key }) as const),
    ...hooks.map((webhook) => ({ kind: "workspace webhook", ...webhook }) as const),
  ];
}

const revoke: Readonly<
  Record<CreatedCredential["kind"], (db: Database, actor: Actor, id: string) => Promise<void>>
> = { "workspace key": revokeKey, "ingest key": revokeIngestKey, "workspace webhook": deleteWebhook };

/**
 * Revokes the keys and deletes the webhooks that `listCreatedCredentials` lists, all or none.
 * @returns what was revoked and deleted.
 * @throws ApiError 403 unless the actor is an admin of the workspace or the operator.
 */
async function revokeCreatedCredentials(
  db: Database,
  actor: Actor,
  workspaceId: string,
  userId: string,
): Promise<CreatedCredential[]> {
  return db.transaction(async (tx) => {
    const credentials = await listCreatedCredentials(tx, actor, workspaceId, userId);
    for (const { kind, id } of credentials) await revoke[kind](tx, actor, id);
    return credentials;
  });
}

/**
 * Changes somebody's membership. With `revokeCredentials` it first revokes, in the same transaction, what they created
 * for the workspace.
 * @throws ApiError as `change` and `revokeCreatedCredentials`
 */
export async function changeMembership(
  db: Database,
  actor: Actor,
  {
    workspaceId,
    userId,
    revokeCredentials,
  }: { workspaceId: string; userId: string; revokeCredentials: boolean },
  change: (tx: Database) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    // First, because an admin who leaves may do it no longer.
    if (revokeCredentials) await revokeCreatedCredentials(tx, actor, workspaceId, userId);
    await change(tx);
  });
}

import { type Database, schema } from "@minutes/db";
import { and, asc, eq, isNull, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { revokeIngestKey, revokeKey } from "../keys/index.js";
import { deleteWebhook } from "../webhooks/index.js";
import { requireAdmin } from "../workspaces/index.js";

const { apiKeys, ingestKeys, invitations, webhooks } = schema;

/**
 * A credential an admin created for a workspace. Keys and webhooks remain valid after the admin leaves or is demoted;
 * open invitations end then.
 */
export interface CreatedCredential {
  readonly kind: "workspace key" | "ingest key" | "workspace webhook" | "invitation";
  readonly id: string;
  /** For an invitation, the address that can accept it. */
  readonly name: string;
}

/**
 * Lists a user's active credentials and open invitations for a workspace.
 * @throws ApiError 403 unless the actor is an admin of the workspace or the operator
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
  const invited = await db
    .select({ id: invitations.id, email: invitations.email })
    .from(invitations)
    .where(
      and(
        eq(invitations.createdBy, userId),
        eq(invitations.workspaceId, workspaceId),
        sql`${invitations.expiresAt} > now()`,
      ),
    )
    .orderBy(asc(invitations.createdAt), asc(invitations.id));
  return [
    ...keys.map((key) => ({ kind: "workspace key", ...key }) as const),
    ...recorders.map((key) => ({ kind: "ingest key", ...key }) as const),
    ...hooks.map((webhook) => ({ kind: "workspace webhook", ...webhook }) as const),
    ...invited.map(({ id, email }) => ({ kind: "invitation", id, name: email ?? ANYBODY }) as const),
  ];
}

/** Name of an invitation that anyone with the link can accept. */
const ANYBODY = "anybody with the link";

/** Revokes or deletes a credential. Invitations end with the membership or role, in the same transaction. */
const revoke: Readonly<
  Record<CreatedCredential["kind"], (db: Database, actor: Actor, id: string) => Promise<void>>
> = {
  "workspace key": revokeKey,
  "ingest key": revokeIngestKey,
  "workspace webhook": deleteWebhook,
  invitation: async () => {},
};

/**
 * Revokes the keys and deletes the webhooks listed by `listCreatedCredentials`, all or none.
 * @returns the revoked and deleted credentials
 * @throws ApiError 403 unless the actor is an admin of the workspace or the operator
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
 * Changes a membership. `revokeCredentials` also revokes, in the same transaction, what the member created for the
 * workspace.
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
    // First, because an admin who leaves loses the permission.
    if (revokeCredentials) await revokeCreatedCredentials(tx, actor, workspaceId, userId);
    await change(tx);
  });
}

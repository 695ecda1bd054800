import type { CreatedCredential } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { PgTable } from "drizzle-orm/pg-core";
import type { Manager } from "../access/callers.js";
import { revokeKey } from "../keys/index.js";
import { deleteWebhook } from "../webhooks/index.js";
import { requireAdmin } from "../workspaces/index.js";

const { apiKeys, ingestKeys, invitations, webhooks } = schema;
type CredentialTable = typeof apiKeys | typeof ingestKeys | typeof webhooks | typeof invitations;

/**
 * Lists a user's active credentials and open invitations for a workspace.
 * @throws ApiError 403 unless the caller is an admin of the workspace or the operator
 */
export async function listCreatedCredentials(
  db: Database,
  caller: Manager,
  workspaceId: string,
  userId: string,
): Promise<CreatedCredential[]> {
  await requireAdmin(db, caller, workspaceId);
  const list = async (
    kind: CreatedCredential["kind"],
    table: CredentialTable,
    name: SQLWrapper,
    isActive: SQL,
  ): Promise<CreatedCredential[]> => {
    const rows = await db
      .select({ id: table.id, name: sql<string>`${name}` })
      .from(table as PgTable)
      .where(and(eq(table.createdBy, userId), eq(table.workspaceId, workspaceId), isActive))
      .orderBy(asc(table.createdAt), asc(table.id));
    return rows.map((row) => ({ kind, ...row }));
  };
  const recipient = sql`coalesce(${invitations.email}, ${ANYBODY})`;
  return [
    ...(await list("workspace key", apiKeys, apiKeys.name, isNull(apiKeys.revokedAt))),
    ...(await list("ingest key", ingestKeys, ingestKeys.name, isNull(ingestKeys.revokedAt))),
    ...(await list("workspace webhook", webhooks, webhooks.name, isNull(webhooks.deletedAt))),
    ...(await list("invitation", invitations, recipient, sql`${invitations.expiresAt} > now()`)),
  ];
}

/** Name of an invitation that anyone with the link can accept. */
const ANYBODY = "anybody with the link";

/** Revokes or deletes a credential. Invitations end with the membership or role, in the same transaction. */
const revoke: Readonly<
  Record<CreatedCredential["kind"], (db: Database, caller: Manager, id: string) => Promise<void>>
> = {
  "workspace key": revokeKey,
  "ingest key": revokeKey,
  "workspace webhook": deleteWebhook,
  invitation: async () => {},
};

/**
 * Revokes the keys and deletes the webhooks listed by `listCreatedCredentials`, all or none.
 * @returns the revoked and deleted credentials
 * @throws ApiError 403 unless the caller is an admin of the workspace or the operator
 */
export async function revokeCreatedCredentials(
  db: Database,
  caller: Manager,
  workspaceId: string,
  userId: string,
): Promise<CreatedCredential[]> {
  return db.transaction(async (tx) => {
    const credentials = await listCreatedCredentials(tx, caller, workspaceId, userId);
    for (const { kind, id } of credentials) await revoke[kind](tx, caller, id);
    return credentials;
  });
}

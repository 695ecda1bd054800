import { type Database, schema } from "@minutes/db";
import { and, eq, inArray, type SQL } from "drizzle-orm";
import type { AuditActor } from "../access/actor.js";
import { audit } from "../access/audit.js";

const { invitations, users } = schema;

/** Revokes open invitations. */
async function revokeInvitations(tx: Database, by: AuditActor, which: SQL | undefined): Promise<void> {
  const revoked = await tx
    .delete(invitations)
    .where(which)
    .returning({ id: invitations.id, workspaceId: invitations.workspaceId });
  for (const { id, workspaceId } of revoked) await audit(tx, by, "invitation.revoke", id, workspaceId);
}

/** Revokes the open invitations of a former admin of a workspace. */
export const revokeInvitationsTo = (
  tx: Database,
  by: AuditActor,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<void> =>
  revokeInvitations(tx, by, and(eq(invitations.createdBy, userId), eq(invitations.workspaceId, workspaceId)));

/** Ends a workspace's invitations to the address of somebody who joined it, by whichever way. */
export async function endInvitationsOf(
  tx: Database,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<void> {
  const email = tx.select({ email: users.email }).from(users).where(eq(users.id, userId));
  await tx
    .delete(invitations)
    .where(and(eq(invitations.workspaceId, workspaceId), inArray(invitations.email, email)));
}

/** Revokes all open invitations of an erased user. */
export const revokeEveryInvitation = (tx: Database, by: AuditActor, userId: string): Promise<void> =>
  revokeInvitations(tx, by, eq(invitations.createdBy, userId));

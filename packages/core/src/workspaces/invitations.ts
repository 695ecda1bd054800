import { type Database, schema } from "@minutes/db";
import { and, eq, type SQL } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";

const { invitations } = schema;

/** Revokes open invitations. */
async function revokeInvitations(tx: Database, actor: Actor, which: SQL | undefined): Promise<void> {
  const revoked = await tx
    .delete(invitations)
    .where(which)
    .returning({ id: invitations.id, workspaceId: invitations.workspaceId });
  for (const { id, workspaceId } of revoked) await audit(tx, actor, "invitation.revoke", id, workspaceId);
}

/** Revokes the open invitations of a former admin of a workspace. */
export const revokeInvitationsTo = (
  tx: Database,
  actor: Actor,
  { userId, workspaceId }: { userId: string; workspaceId: string },
): Promise<void> =>
  revokeInvitations(
    tx,
    actor,
    and(eq(invitations.createdBy, userId), eq(invitations.workspaceId, workspaceId)),
  );

/** Revokes all open invitations of an erased user. */
export const revokeEveryInvitation = (tx: Database, actor: Actor, userId: string): Promise<void> =>
  revokeInvitations(tx, actor, eq(invitations.createdBy, userId));

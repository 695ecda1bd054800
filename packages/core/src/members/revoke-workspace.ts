import { type Database, schema } from "@minutes/db";
import { and, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { Caller } from "../access/callers.js";
import { lockMembers, requireAdmin } from "../workspaces/index.js";

const { apiKeys, ingestKeys, invitations, oauthGrants, oneTimeLinks, publicLinks, sessions } = schema;
const { signInChallenges } = schema;

/**
 * Revokes everything that grants access to a workspace and may have leaked, in one transaction: API keys of the
 * workspace and its members, ingest keys, sessions, one-time links, invitations, connected apps and public links. Takes effect
 * immediately on every process. Passwords, passkeys and webhooks stay.
 * @throws ApiError 403 unless the caller is an admin of the workspace or the operator
 */
export async function revokeWorkspaceCredentials(db: Database, caller: Caller) {
  const { workspaceId } = caller;
  return db.transaction(async (tx) => {
    await requireAdmin(tx, caller, workspaceId);
    // Prevents members from creating keys in the meantime.
    const members = [...(await lockMembers(tx, workspaceId)), ""];
    const revoked = { revokedAt: sql`now()`, updatedAt: sql`now()` };
    const keys = await tx
      .update(apiKeys)
      .set(revoked)
      .where(
        and(
          isNull(apiKeys.revokedAt),
          or(eq(apiKeys.workspaceId, workspaceId), inArray(apiKeys.userId, members)),
        ),
      )
      .returning({ id: apiKeys.id });
    const recorders = await tx
      .update(ingestKeys)
      .set(revoked)
      .where(and(isNull(ingestKeys.revokedAt), eq(ingestKeys.workspaceId, workspaceId)))
      .returning({ id: ingestKeys.id });
    // Before sessions: a sign-in by link creates its session before this can delete the link.
    const links = await tx
      .delete(oneTimeLinks)
      .where(inArray(oneTimeLinks.userId, members))
      .returning({ userId: oneTimeLinks.userId });
    await tx.delete(signInChallenges).where(inArray(signInChallenges.userId, members));
    const ended = await tx
      .delete(sessions)
      .where(inArray(sessions.userId, members))
      .returning({ id: sessions.id });
    const invited = await tx
      .delete(invitations)
      .where(eq(invitations.workspaceId, workspaceId))
      .returning({ id: invitations.id });
    const apps = await tx
      .delete(oauthGrants)
      .where(eq(oauthGrants.workspaceId, workspaceId))
      .returning({ id: oauthGrants.id });
    const shown = await tx
      .delete(publicLinks)
      .where(eq(publicLinks.workspaceId, workspaceId))
      .returning({ meetingId: publicLinks.meetingId });
    await audit(tx, caller, "workspace.revoke-credentials", workspaceId, workspaceId);
    for (const { id } of keys) await audit(tx, caller, "key.revoke", id);
    for (const { id } of recorders) await audit(tx, caller, "ingest-key.revoke", id);
    for (const { id } of invited) await audit(tx, caller, "invitation.revoke", id, workspaceId);
    for (const { meetingId } of shown) await audit(tx, caller, "meeting.unlink", meetingId);
    return {
      keys: keys.length,
      ingestKeys: recorders.length,
      sessions: ended.length,
      links: links.length + invited.length,
      apps: apps.length,
      publicLinks: shown.length,
    };
  });
}

import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, desc, eq, sql } from "drizzle-orm";
import { type Actor, OPERATOR } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { generateId } from "../ids.js";
import { generateToken, hashToken, isToken } from "../keys/index.js";
import type { CreatedSession } from "../sessions/index.js";
import { createUser, joinWorkspace, requireAdmin } from "../workspaces/index.js";
import { hashPassword } from "./password-hash.js";
import { createBrowserSession } from "./setup.js";

const { invitations, passwords, users, workspaces } = schema;

/**
 * Invites a person to a workspace.
 * @param email the only address that may accept; null: whoever has the link.
 * @returns the token of the link, which is shown this one time.
 * @throws ApiError 403 unless the actor is an admin of the workspace.
 */
export async function createInvitation(
  db: Database,
  actor: Actor & { kind: "user" },
  workspaceId: string,
  { email, role }: { email: string | null; role: schema.Role },
): Promise<{ id: string; token: string; expiresAt: string }> {
  const token = generateToken("miv_");
  return db.transaction(async (tx) => {
    await requireAdmin(tx, actor, workspaceId);
    await tx.delete(invitations).where(sql`${invitations.expiresAt} <= now()`);
    const [invitation] = await tx
      .insert(invitations)
      .values({
        id: generateId("inv"),
        hash: hashToken(token),
        workspaceId,
        email,
        role,
        createdBy: actor.userId,
        expiresAt: sql`now() + make_interval(secs => ${LIMITS.invitationSeconds}::float8)`,
      })
      .returning({ id: invitations.id, expiresAt: invitations.expiresAt });
    if (!invitation) throw new TypeError("The invitation was not stored.");
    await audit(tx, actor, "invitation.create", invitation.id);
    return { ...invitation, token };
  });
}

/**
 * Lists a workspace's invitations that can still be accepted, newest first, without their tokens.
 * @throws ApiError 403 unless the actor is an admin of the workspace.
 */
export async function listInvitations(db: Database, actor: Actor, workspaceId: string) {
  await requireAdmin(db, actor, workspaceId);
  const list = await db
    .select({
      id: invitations.id,
      email: invitations.email,
      role: invitations.role,
      createdBy: { userId: users.id, email: users.email },
      createdAt: invitations.createdAt,
      expiresAt: invitations.expiresAt,
    })
    .from(invitations)
    .leftJoin(users, eq(users.id, invitations.createdBy))
    .where(and(eq(invitations.workspaceId, workspaceId), sql`${invitations.expiresAt} > now()`))
    .orderBy(desc(invitations.createdAt), desc(invitations.id));
  return { invitations: list };
}

/**
 * Revokes an invitation.
 * @throws ApiError 403 unless the actor is an admin of the workspace, 404 for an invitation of another workspace.
 */
export async function revokeInvitation(
  db: Database,
  actor: Actor,
  workspaceId: string,
  invitationId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireAdmin(tx, actor, workspaceId);
    const revoked = await tx
      .delete(invitations)
      .where(and(eq(invitations.id, invitationId), eq(invitations.workspaceId, workspaceId)))
      .returning({ id: invitations.id });
    if (revoked.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.invitationNotFound);
    await audit(tx, actor, "invitation.revoke", invitationId);
  });
}

const whereOpen = (token: string) =>
  and(eq(invitations.hash, hashToken(token)), sql`${invitations.expiresAt} > now()`);

/**
 * Returns what an invited person sees before they accept.
 * @throws ApiError 401 for a link that is unknown, used, revoked or expired.
 */
export async function getInvitation(db: Database, token: string) {
  const [invitation] = isToken("miv_", token)
    ? await db
        .select({ workspaceName: workspaces.name, email: invitations.email, role: invitations.role })
        .from(invitations)
        .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
        .where(whereOpen(token))
    : [];
  if (!invitation) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
  return invitation;
}

export interface Acceptance {
  readonly token: string;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * Accepts an invitation. A signed-in user moves into the workspace with their meetings. Anybody else gets a new account
 * there, and is signed in. The link is used up only when everything succeeded.
 * @param userId the signed-in user; null for anybody else.
 * @returns the new user's session; null for a user who was signed in.
 * @throws ApiError 401 for a link that is unknown, used, revoked or expired, and for an address that has an account; 403
 *   when the invitation is for another address; 400 without what a new account needs; 409 when the user is the last
 *   admin of members whom they would leave behind.
 */
export async function acceptInvitation(
  db: Database,
  acceptance: Acceptance,
  userId: string | null,
  label: string | null,
): Promise<CreatedSession | null> {
  const { token } = acceptance;
  // Computes no hash for an unknown link.
  await getInvitation(db, token);
  const hash =
    userId === null && acceptance.password !== undefined ? await hashPassword(acceptance.password) : null;
  return db.transaction(async (tx) => {
    const [invitation] = await tx
      .delete(invitations)
      .where(whereOpen(token))
      .returning({ workspaceId: invitations.workspaceId, email: invitations.email, role: invitations.role });
    if (!invitation) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
    const { workspaceId, role } = invitation;
    if (userId !== null) {
      await requireInvitedAddress(tx, userId, invitation.email);
      await joinWorkspace(tx, OPERATOR, userId, workspaceId, role);
      return null;
    }
    const email = invitation.email ?? acceptance.email;
    if (acceptance.email !== undefined && acceptance.email !== email)
      throw new ApiError("FORBIDDEN", MESSAGES.invitationForOther);
    const { name } = acceptance;
    if (email === undefined || name === undefined || hash === null)
      throw new ApiError("BAD_REQUEST", MESSAGES.invitationNeedsAccount);
    const [taken] = await tx.select({ id: users.id }).from(users).where(eq(users.email, email));
    if (taken) throw new ApiError("UNAUTHORIZED", MESSAGES.signInToAccept);
    const user = await createUser(tx, OPERATOR, { email, name });
    await joinWorkspace(tx, OPERATOR, user.userId, workspaceId, role);
    await tx.insert(passwords).values({ userId: user.userId, hash });
    // They gave the address themselves, and nothing shows that it is theirs.
    if (invitation.email === null)
      await tx.update(users).set({ emailConfirmed: false }).where(eq(users.id, user.userId));
    return createBrowserSession(tx, user.userId, label);
  });
}

async function requireInvitedAddress(tx: Database, userId: string, email: string | null): Promise<void> {
  if (email === null) return;
  const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId));
  if (user?.email !== email) throw new ApiError("FORBIDDEN", MESSAGES.invitationForOther);
}

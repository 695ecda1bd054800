import { MESSAGES } from "@minutes/contract";
import { type Database, outliveCall, schema } from "@minutes/db";
import { and, desc, eq, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { UserCaller, Visitor } from "../access/callers.js";
import { generateToken, hashToken, isToken } from "../keys/index.js";
import { ApiError } from "../lib/errors.js";
import type { Mailer } from "../lib/mailer.js";
import {
  enterWorkspace,
  lockMembership,
  lockWorkspace,
  registerUser,
  requireAdmin,
} from "../workspaces/index.js";
import { getAccount } from "./account.js";
import { countInvitation } from "./attempts.js";
import { confirmAddress } from "./confirm-address.js";
import { type CreatedInvitation, insertInvitation } from "./insert-invitation.js";
import { type IdentityMail, type Inviter, mailInvitation } from "./mail.js";
import { hashPassword } from "./password-hash.js";
import type { CreatedSession } from "./sessions/create.js";
import { createBrowserSession } from "./setup.js";

const { invitations, members, passwords, users, workspaces } = schema;

/**
 * Condition for invitations that can be accepted: the inviter is still an admin there, or it restores a member who left
 * while confirming their address.
 */
const IS_OPEN = and(
  sql`${invitations.expiresAt} > now()`,
  sql`(${invitations.returning} or exists (select from ${members} m where m.user_id = ${invitations.createdBy}
    and m.workspace_id = ${invitations.workspaceId} and m.role = 'admin'))`,
);

/**
 * Invites a person to a workspace. An address has one open invitation there: another one replaces it and its link, under
 * the same ID.
 * @param email the only address that can accept; null: anyone with the link
 * @param mailed true if the link is sent to the address and never displayed, so that accepting confirms the address
 * @returns the token of the link, in plain text only here
 * @throws ApiError 403 unless the actor is an admin of the workspace; 409 for a member's address; 429 after too many
 * e-mails
 */
async function createInvitation(
  db: Database,
  actor: UserCaller,
  workspaceId: string,
  { email, role, mailed }: { email: string | null; role: schema.Role; mailed: boolean },
): Promise<CreatedInvitation & { readonly renewed: boolean }> {
  return db.transaction(async (tx) => {
    // An admin who is removed concurrently leaves no invitation behind.
    const inviter = await lockMembership(tx, actor.userId, "no key update");
    // Also if the operator acts for them: an invitation by anyone else can't be accepted.
    if (inviter.workspaceId !== workspaceId || inviter.role !== "admin")
      throw new ApiError("FORBIDDEN", MESSAGES.onlyAdmins);
    const sender = actor.via.kind === "operator" ? null : actor.userId;
    if (mailed && email !== null) await countInvitation(tx, email, sender);
    const id = email === null ? undefined : await replaceInvitation(tx, workspaceId, email);
    const values = { id, workspaceId, email, role, mailed, createdBy: actor.userId };
    const invitation = await insertInvitation(tx, values);
    const renewed = id !== undefined;
    await audit(tx, actor, renewed ? "invitation.renew" : "invitation.create", invitation.id, workspaceId);
    return { ...invitation, renewed };
  });
}

/**
 * Deletes the open invitation of an address to a workspace, for another one to replace it.
 * @returns its id; undefined if there is none
 * @throws ApiError 409 if the address is that of a member
 */
async function replaceInvitation(
  tx: Database,
  workspaceId: string,
  email: string,
): Promise<string | undefined> {
  // Two admins who invite the same person concurrently must not create two invitations.
  await lockWorkspace(tx, workspaceId);
  const [member] = await tx
    .select({ userId: members.userId })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.workspaceId, workspaceId), eq(users.email, email)));
  if (member) throw new ApiError("CONFLICT", MESSAGES.invitedIsMember);
  const [replaced] = await tx
    .delete(invitations)
    .where(and(eq(invitations.workspaceId, workspaceId), eq(invitations.email, email), IS_OPEN))
    .returning({ id: invitations.id });
  return replaced?.id;
}

/**
 * Invites a person to the caller's workspace. The link is mailed if possible; otherwise the answer has it for the admin to
 * pass on. A link can confirm an address only if nobody else has seen it.
 */
export async function inviteAndMail(
  db: Database,
  caller: UserCaller,
  { email = null, role }: { readonly email?: string | null | undefined; readonly role: schema.Role },
  { mailer, publicUrl }: { readonly mailer: Mailer | null; readonly publicUrl: () => string },
) {
  const mails = mailer !== null && email !== null;
  const { token, ...invitation } = await createInvitation(db, caller, caller.workspaceId, {
    ...{ email, role, mailed: mails },
  });
  const link = `${publicUrl()}/invitation#${token}`;
  if (!mails) return { ...invitation, link, mailed: false };
  const { workspaceName } = await getAccount(db, caller.userId);
  const inviter = await findInviter(db, caller.userId);
  const mailed = await mailInvitation(mailer, { email, link, workspaceName, inviter }).then(
    () => true,
    () => false,
  );
  if (mailed) return { ...invitation, link: null, mailed };
  await markDisplayed(db, invitation.id);
  return { ...invitation, link, mailed };
}

/** Finds who an invitation says it is from. Their address is null unless they confirmed it: anyone can type one. */
async function findInviter(db: Database, userId: string | null): Promise<Inviter | null> {
  if (userId === null) return null;
  const [inviter] = await db
    .select({
      name: users.name,
      email: sql<string | null>`case when ${users.emailConfirmed} then ${users.email} end`,
    })
    .from(users)
    .where(eq(users.id, userId));
  return inviter ?? null;
}

/** Records that an invitation's link is displayed, because it could not be mailed. */
async function markDisplayed(db: Database, invitationId: string): Promise<void> {
  await db.update(invitations).set({ mailed: false }).where(eq(invitations.id, invitationId));
}

/**
 * Lists a workspace's open invitations, newest first, without their tokens.
 * @throws ApiError 403 unless the actor is an admin of the workspace
 */
export async function listInvitations(db: Database, caller: UserCaller) {
  const { workspaceId } = caller;
  await requireAdmin(db, caller, workspaceId);
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
    .where(and(eq(invitations.workspaceId, workspaceId), IS_OPEN))
    .orderBy(desc(invitations.createdAt), desc(invitations.id));
  return { invitations: list };
}

/**
 * Revokes an invitation.
 * @throws ApiError 403 unless the actor is an admin of the workspace, 404 for another workspace's invitation
 */
export async function revokeInvitation(
  db: Database,
  caller: UserCaller,
  invitationId: string,
): Promise<void> {
  const { workspaceId } = caller;
  await db.transaction(async (tx) => {
    await requireAdmin(tx, caller, workspaceId);
    const revoked = await tx
      .delete(invitations)
      .where(and(eq(invitations.id, invitationId), eq(invitations.workspaceId, workspaceId)))
      .returning({ id: invitations.id });
    if (revoked.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.invitationNotFound);
    await audit(tx, caller, "invitation.revoke", invitationId, workspaceId);
  });
}

const whereOpen = (token: string) => and(eq(invitations.hash, hashToken(token)), IS_OPEN);

/**
 * Returns what an invited person sees before accepting. `mailed` is false for a link that somebody else has seen.
 * @param userId the signed-in user, who may have joined already; null if there is none
 * @throws ApiError 401 for an unknown, used, revoked or expired link
 */
async function getInvitation(db: Database, token: string, userId: string | null) {
  const [invitation] = isToken("miv_", token)
    ? await db
        .select({
          workspaceName: workspaces.name,
          email: invitations.email,
          role: invitations.role,
          returning: invitations.returning,
          mailed: invitations.mailed,
          joined: sql<boolean>`${members.userId} is not null`,
          forOther: sql<boolean>`coalesce(${users.email} <> ${invitations.email}, false)`,
        })
        .from(invitations)
        .innerJoin(workspaces, eq(workspaces.id, invitations.workspaceId))
        .leftJoin(
          members,
          and(eq(members.workspaceId, invitations.workspaceId), eq(members.userId, userId ?? "")),
        )
        .leftJoin(users, eq(users.id, userId ?? ""))
        .where(whereOpen(token))
    : [];
  if (!invitation) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
  return invitation;
}

/**
 * Returns what an invited person sees before accepting.
 * @param canMail whether a mail server is set
 * @throws ApiError 401 as `getInvitation`
 */
export async function showInvitation(db: Database, token: string, userId: string | null, canMail: boolean) {
  const { mailed, email, ...invitation } = await getInvitation(db, token, userId);
  const sendsMail = canMail && !mailed;
  // A link can be forwarded: only a person who creates an account for the address sees all of it.
  const masks = invitation.forOther || (userId === null && sendsMail);
  return { ...invitation, email: masks && email !== null ? maskAddress(email) : email, sendsMail };
}

/** Shortens an address so that its owner recognizes it: `b•••@example.com`. */
function maskAddress(email: string): string {
  const at = email.lastIndexOf("@");
  return `${at > 1 ? email.slice(0, 1) : ""}•••${email.slice(at)}`;
}

export interface Acceptance {
  readonly token: string;
  readonly email?: string | undefined;
  readonly name?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * Sends a link that somebody else has seen to the address of the person who accepts it, where a mail server is set: only who
 * owns the address learns whether it has an account. The link seen before ends.
 * @returns false if there is nothing to send, because only the address got the link
 * @throws ApiError 401, 403 and 400 as `acceptInvitation`; 429 after too many e-mails; 503 if it can't be sent
 */
export async function mailToInvited(
  db: Database,
  { mailer, publicUrl, onFault }: IdentityMail,
  { token, email: given }: Acceptance,
): Promise<boolean> {
  const { mailed, workspaceName, email: invited } = await getInvitation(db, token, null);
  if (mailed) return false;
  const email = invited ?? given;
  if (email === undefined) throw new ApiError("BAD_REQUEST", MESSAGES.invitationNeedsAddress);
  if (given !== undefined && given !== email) throw new ApiError("FORBIDDEN", MESSAGES.invitationForOther);
  const next = generateToken("miv_");
  const { id, createdBy } = await db.transaction(async (tx) => {
    const [sent] = await tx
      .update(invitations)
      .set({ email, mailed: true, hash: hashToken(next) })
      .where(whereOpen(token))
      .returning({ id: invitations.id, createdBy: invitations.createdBy });
    if (!sent) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
    await countInvitation(tx, email, sent.createdBy ?? "");
    return sent;
  });
  try {
    const inviter = await findInviter(db, createdBy);
    await mailInvitation(mailer, { email, link: `${publicUrl}/invitation#${next}`, workspaceName, inviter });
  } catch (error) {
    onFault(error);
    const before = { email: invited, mailed: false, hash: hashToken(token) };
    await outliveCall(db).update(invitations).set(before).where(eq(invitations.id, id));
    throw new ApiError("SERVICE_UNAVAILABLE", MESSAGES.mailNotSent);
  }
  return true;
}

/**
 * Accepts an invitation. A signed-in user moves into the workspace with their meetings. Anyone else gets a new account
 * there and is signed in. The link is used up only on success.
 * @param userId the signed-in user; null if there is none
 * @returns the new user's session; null for a user who was already signed in
 * @throws ApiError 401 for an unknown, used, revoked or expired link, and for an address with an account; 403 if the
 * invitation is for another address; 400 if fields of a new account are missing; 409 if the user is a member already, or
 * the last admin of a workspace with other members
 */
export async function acceptInvitation(
  db: Database,
  acceptance: Acceptance,
  userId: string | null,
  visitor: Visitor,
): Promise<CreatedSession | null> {
  const { token } = acceptance;
  // Computes no hash for an unknown link.
  await getInvitation(db, token, userId);
  const hash =
    userId === null && acceptance.password !== undefined
      ? await hashPassword(acceptance.password, visitor)
      : null;
  return db.transaction(async (tx) => {
    const [invitation] = await tx.delete(invitations).where(whereOpen(token)).returning();
    if (!invitation) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
    const { workspaceId, role, mailed } = invitation;
    if (userId !== null) {
      await requireInvitedAddress(tx, userId, invitation.email);
      // A role changes under Members, not by a link that somebody opens once more.
      const present = await lockMembership(tx, userId, "update");
      if (present.workspaceId === workspaceId) throw new ApiError("CONFLICT", MESSAGES.joinedAlready);
      if (mailed) await confirmAddress(tx, userId, userId);
      await enterWorkspace(tx, { kind: "user", userId }, userId, workspaceId, role);
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
    const user = await registerUser(tx, { email, name });
    await enterWorkspace(tx, { kind: "user", userId: user.userId }, user.userId, workspaceId, role);
    await tx.insert(passwords).values({ userId: user.userId, hash });
    // Somebody else may have seen the link, so using it does not confirm the address.
    if (!mailed) await tx.update(users).set({ emailConfirmed: false }).where(eq(users.id, user.userId));
    return createBrowserSession(tx, user.userId, "invitation", visitor);
  });
}

async function requireInvitedAddress(tx: Database, userId: string, email: string | null): Promise<void> {
  if (email === null) return;
  const [user] = await tx.select({ email: users.email }).from(users).where(eq(users.id, userId));
  if (user?.email !== email) throw new ApiError("FORBIDDEN", MESSAGES.invitationForOther);
}

import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq, ne, or, sql } from "drizzle-orm";
import { type Actor, requireOperator } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { newId } from "../ids.js";
import { limitsOf, unlockSummaries } from "../plans/index.js";

const { members, meetingShares, sessions, tagShares, users, workspaces } = schema;
type Role = schema.Role;

/** A user's membership: the one workspace that they are in, and their role there. */
export interface Membership {
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: Role;
}

/** Locks a user's membership until the transaction ends, so that they can't move meanwhile. */
export async function lockMembership(tx: Database, userId: string): Promise<Membership> {
  const [member] = await tx
    .select({ userId: members.userId, workspaceId: members.workspaceId, role: members.role })
    .from(members)
    .where(eq(members.userId, userId))
    .for("update");
  if (!member) throw new ApiError("NOT_FOUND", MESSAGES.memberNotFound);
  return member;
}

/** @throws ApiError 403 unless the actor is an admin of this workspace or the operator. */
export async function requireAdmin(db: Database, actor: Actor, workspaceId: string): Promise<void> {
  if (actor.kind === "operator") return;
  const [admin] = await db
    .select({ userId: members.userId })
    .from(members)
    .where(
      and(eq(members.userId, actor.userId), eq(members.workspaceId, workspaceId), eq(members.role, "admin")),
    );
  if (!admin) throw new ApiError("FORBIDDEN", MESSAGES.onlyAdmins);
}

/**
 * Finds a member of this workspace by id or e-mail address. Anybody else is not found, whether they exist or not.
 * @throws ApiError 404
 */
export async function colleague(
  db: Database,
  workspaceId: string,
  who: { userId: string } | { email: string },
): Promise<{ userId: string }> {
  const [member] = await db
    .select({ userId: members.userId })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(
      and(
        eq(members.workspaceId, workspaceId),
        "userId" in who ? eq(users.id, who.userId) : eq(users.email, who.email),
      ),
    );
  if (!member)
    throw new ApiError("NOT_FOUND", "userId" in who ? MESSAGES.memberNotFound : MESSAGES.userNotFound);
  return member;
}

/** The members of a workspace, admins first. */
export const listMembers = (db: Database, workspaceId: string) =>
  db
    .select({ userId: users.id, email: users.email, name: users.name, role: members.role })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(members.workspaceId, workspaceId))
    .orderBy(asc(members.role), asc(users.email));

/**
 * Moves a user into a workspace. In the same transaction they leave their present one, their shares there end, and
 * their meetings move along. Locked summaries that the workspace's plan allows are unlocked. Only the operator may do
 * it: an admin must not take in people and their meetings without consent.
 * @throws ApiError 403, 404 for an unknown user or workspace, 409 when they are the last admin while other members remain.
 */
export async function joinWorkspace(
  db: Database,
  actor: Actor,
  userId: string,
  workspaceId: string,
  role: Role = "member",
) {
  requireOperator(actor);
  await db.transaction(async (tx) => {
    // Held, so that it isn't removed meanwhile.
    const [workspace] = await tx
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(eq(workspaces.id, workspaceId))
      // Its plan stays what it is until the newcomer's summaries are looked at.
      .for("share");
    if (!workspace) throw new ApiError("NOT_FOUND", MESSAGES.workspaceNotFound);
    const left = await move(tx, userId, workspaceId, role);
    if (left === workspaceId) await audit(tx, actor, `member.${role}`, userId, workspaceId);
    else await auditMove(tx, actor, userId, { left, joined: workspaceId });
  });
}

/**
 * Takes a user out of their workspace and returns them to one of their own: the empty one that they had, or a new
 * one. The members they leave stop seeing their meetings with this transaction.
 * @throws ApiError 404 for an unknown user, 409 when they are the last admin while other members remain.
 */
export async function leaveWorkspace(db: Database, actor: Actor, userId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { workspaceId } = await lockMembership(tx, userId);
    const removed = actor.kind === "operator" || actor.userId !== userId;
    if (removed) {
      await requireAdmin(tx, actor, workspaceId);
      // A sign-in does not outlive a removal.
      await tx.delete(sessions).where(eq(sessions.userId, userId));
    }
    const [own] = await tx
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(
        and(
          eq(workspaces.ownerId, userId),
          ne(workspaces.id, workspaceId),
          sql`not exists (select from ${members} m where m.workspace_id = ${workspaces.id})`,
        ),
      )
      .limit(1);
    const joined = own?.id ?? (await createOwnWorkspace(tx, userId));
    await move(tx, userId, joined, "admin");
    await auditMove(tx, actor, userId, { left: workspaceId, joined });
  });
}

/** Records both workspaces of a move. */
async function auditMove(
  tx: Database,
  actor: Actor,
  userId: string,
  { left, joined }: { left: string; joined: string },
): Promise<void> {
  await audit(tx, actor, "member.leave", userId, left);
  await audit(tx, actor, "member.join", userId, joined);
}

/** @throws ApiError 409 when the last admin would stop being one. */
export async function setRole(db: Database, actor: Actor, userId: string, role: Role): Promise<void> {
  await db.transaction(async (tx) => {
    const member = await lockMembership(tx, userId);
    await requireAdmin(tx, actor, member.workspaceId);
    if (role === "member") await keepAnAdmin(tx, member);
    await tx.update(members).set({ role, updatedAt: sql`now()` }).where(eq(members.userId, userId));
    await audit(tx, actor, `member.${role}`, userId, member.workspaceId);
  });
}

/** What a user's own workspace is called until somebody renames it. */
export const defaultWorkspaceName = (userName: string): string => `${userName}'s workspace`;

/** A workspace of the user's own, on the free plan, that nobody is in yet. */
async function createOwnWorkspace(tx: Database, userId: string): Promise<string> {
  const [user] = await tx.select({ name: users.name }).from(users).where(eq(users.id, userId));
  const id = newId("ws");
  await tx.insert(workspaces).values({ id, name: defaultWorkspaceName(user?.name ?? "My"), ownerId: userId });
  return id;
}

/**
 * Moves a user: shares end first, then the foreign keys move everything else.
 * @returns the id of the workspace that the user was in.
 */
async function move(tx: Database, userId: string, workspaceId: string, role: Role): Promise<string> {
  const member = await lockMembership(tx, userId);
  if (member.workspaceId === workspaceId) {
    if (role !== member.role) {
      if (role === "member") await keepAnAdmin(tx, member);
      await tx.update(members).set({ role, updatedAt: sql`now()` }).where(eq(members.userId, userId));
    }
    return workspaceId;
  }
  await keepAnAdmin(tx, member);
  await tx
    .delete(meetingShares)
    .where(or(eq(meetingShares.ownerId, userId), eq(meetingShares.userId, userId)));
  await tx.delete(tagShares).where(or(eq(tagShares.ownerId, userId), eq(tagShares.userId, userId)));
  await tx
    .update(members)
    .set({ workspaceId, role, updatedAt: sql`now()` })
    .where(eq(members.userId, userId));
  // The new workspace's plan may allow more.
  await unlockSummaries(tx, await limitsOf(tx, workspaceId), userId);
  return member.workspaceId;
}

/** Members are never left without an admin. */
async function keepAnAdmin(tx: Database, leaving: Membership): Promise<void> {
  if (leaving.role !== "admin") return;
  // Held, so that two admins who leave at once can't both count on the other.
  await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(eq(workspaces.id, leaving.workspaceId))
    .for("update");
  const others = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.workspaceId, leaving.workspaceId), ne(members.userId, leaving.userId)));
  if (others.length > 0 && !others.some((other) => other.role === "admin")) {
    throw new ApiError("CONFLICT", MESSAGES.lastAdmin);
  }
}

/** Creates a user in a workspace of their own, as its admin. */
export async function createUser(
  db: Database,
  actor: Actor,
  input: { email: string; name: string },
): Promise<Membership> {
  requireOperator(actor);
  return db.transaction(async (tx) => {
    const userId = newId("usr");
    const created = await tx
      .insert(users)
      .values({ id: userId, email: input.email.toLowerCase(), name: input.name })
      .onConflictDoNothing()
      .returning({ id: users.id });
    if (created.length === 0) throw new ApiError("CONFLICT", MESSAGES.emailTaken);
    const workspaceId = await createOwnWorkspace(tx, userId);
    await tx.insert(members).values({ userId, workspaceId, role: "admin" });
    await audit(tx, actor, "user.create", userId);
    return { userId, workspaceId, role: "admin" };
  });
}

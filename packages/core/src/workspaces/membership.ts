import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq, ne, or, sql } from "drizzle-orm";
import { type Actor, requireOperator } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { generateId } from "../ids.js";
import { getPlanLimits, unlockSummaries } from "../plans/index.js";
import { lockMembership, lockWorkspace, type Membership } from "./lock.js";

const { members, meetingShares, sessions, tagShares, users, workspaces } = schema;
type Role = schema.Role;

/** Requires that the actor is the operator or an admin of a workspace. @throws ApiError 403 */
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
 * Finds a member of a workspace by id or e-mail address.
 * @throws ApiError 404 for everybody else, whether such a user exists or not
 */
export async function findMember(
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

/** Lists the members of a workspace, admins first. */
export const listMembers = (db: Database, workspaceId: string) =>
  db
    .select({ userId: users.id, email: users.email, name: users.name, role: members.role })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(members.workspaceId, workspaceId))
    .orderBy(asc(members.role), asc(users.email));

/**
 * Moves a user with their meetings into a workspace, in one transaction. They leave the one they were in, and their shares
 * there end. Locked summaries that the new plan allows are unlocked. Only the operator may: an admin can not move people and
 * their meetings without their consent.
 * @throws ApiError 403, 404 for an unknown user or workspace, 409 when they are the last admin while other members remain
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
    // Its plan must stay until the newcomer's summaries are unlocked.
    if (!(await lockWorkspace(tx, workspaceId, "share")))
      throw new ApiError("NOT_FOUND", MESSAGES.workspaceNotFound);
    const left = await moveMember(tx, userId, workspaceId, role);
    if (left === workspaceId) await audit(tx, actor, `member.${role}`, userId, workspaceId);
    else await auditMove(tx, actor, userId, { left, joined: workspaceId });
  });
}

/**
 * Moves a user out of their workspace into one of their own: the empty one that they had, or a new one. Its members stop
 * seeing their meetings with this transaction.
 * @throws ApiError 404 for an unknown user, 409 when they are the last admin while other members remain
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
    await moveMember(tx, userId, joined, "admin");
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

/** Makes a member an admin or takes the role away. @throws ApiError 409 for the last admin */
export async function setRole(db: Database, actor: Actor, userId: string, role: Role): Promise<void> {
  await db.transaction(async (tx) => {
    const member = await lockMembership(tx, userId);
    await requireAdmin(tx, actor, member.workspaceId);
    if (role === "member") await requireAnotherAdmin(tx, member);
    await tx.update(members).set({ role, updatedAt: sql`now()` }).where(eq(members.userId, userId));
    await audit(tx, actor, `member.${role}`, userId, member.workspaceId);
  });
}

/** Names a user's own workspace until somebody renames it. */
export const toDefaultWorkspaceName = (userName: string): string => `${userName}'s workspace`;

/** Creates a workspace of the user's own, on the free plan, without members. */
async function createOwnWorkspace(tx: Database, userId: string): Promise<string> {
  const [user] = await tx.select({ name: users.name }).from(users).where(eq(users.id, userId));
  const id = generateId("ws");
  await tx
    .insert(workspaces)
    .values({ id, name: toDefaultWorkspaceName(user?.name ?? "My"), ownerId: userId });
  return id;
}

/**
 * Moves a user: shares end first, then the foreign keys move everything else.
 * @returns the id of the workspace that the user was in.
 */
async function moveMember(tx: Database, userId: string, workspaceId: string, role: Role): Promise<string> {
  const member = await lockMembership(tx, userId);
  if (member.workspaceId === workspaceId) {
    if (role !== member.role) {
      if (role === "member") await requireAnotherAdmin(tx, member);
      await tx.update(members).set({ role, updatedAt: sql`now()` }).where(eq(members.userId, userId));
    }
    return workspaceId;
  }
  await requireAnotherAdmin(tx, member);
  await tx
    .delete(meetingShares)
    .where(or(eq(meetingShares.ownerId, userId), eq(meetingShares.userId, userId)));
  await tx.delete(tagShares).where(or(eq(tagShares.ownerId, userId), eq(tagShares.userId, userId)));
  await tx
    .update(members)
    .set({ workspaceId, role, updatedAt: sql`now()` })
    .where(eq(members.userId, userId));
  // The new workspace's plan may allow more.
  await unlockSummaries(tx, await getPlanLimits(tx, workspaceId), userId);
  return member.workspaceId;
}

/** Requires that members who stay have an admin. @throws ApiError 409 */
async function requireAnotherAdmin(tx: Database, leaving: Membership): Promise<void> {
  if (leaving.role !== "admin") return;
  // Two admins who leave at once must not both count on the other.
  await lockWorkspace(tx, leaving.workspaceId);
  const others = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.workspaceId, leaving.workspaceId), ne(members.userId, leaving.userId)));
  if (others.length > 0 && !others.some((other) => other.role === "admin")) {
    throw new ApiError("CONFLICT", MESSAGES.lastAdmin);
  }
}

/** Creates a user in a workspace of their own, of which they are the admin. @throws ApiError 403, 409 for a taken address */
export async function createUser(
  db: Database,
  actor: Actor,
  input: { email: string; name: string },
): Promise<Membership> {
  requireOperator(actor);
  return db.transaction(async (tx) => {
    const userId = generateId("usr");
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

import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq, ne, or, sql } from "drizzle-orm";
import { type AuditActor, requireOperator } from "../access/actor.js";
import { audit } from "../access/audit.js";
import type { Caller, Manager } from "../access/callers.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { endInvitationsOf, revokeInvitationsTo } from "./invitations.js";
import { lockMembership, lockWorkspace, type Membership } from "./lock.js";
import { getPlanLimits, unlockSummaries } from "./plans/index.js";

const {
  accessRequests,
  calendars,
  knownBrowsers,
  keptAudio,
  members,
  meetingShares,
  oauthGrants,
  sessions,
  tagShares,
  transcriptions,
  users,
  workspaces,
} = schema;
type Role = schema.Role;

/** Returns true if the caller is the workspace itself, one of its admins, or the operator. */
export async function isAdmin(db: Database, caller: Caller | Manager, workspaceId: string): Promise<boolean> {
  if (caller.kind === "workspace") return caller.workspaceId === workspaceId;
  if (caller.kind === "operator" || caller.via.kind === "operator") return true;
  const [admin] = await db
    .select({ userId: members.userId })
    .from(members)
    .where(
      and(eq(members.userId, caller.userId), eq(members.workspaceId, workspaceId), eq(members.role, "admin")),
    );
  return admin !== undefined;
}

/** Requires that the caller is the workspace itself, one of its admins, or the operator. @throws ApiError 403 */
export async function requireAdmin(
  db: Database,
  caller: Caller | Manager,
  workspaceId: string,
): Promise<void> {
  if (!(await isAdmin(db, caller, workspaceId))) throw new ApiError("FORBIDDEN", MESSAGES.onlyAdmins);
}

/**
 * Finds a workspace member by id or e-mail address.
 * @throws ApiError 404 for anyone else, whether such a user exists or not
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

/** Lists the members of the caller's workspace, with when each was last active if the caller is an admin. */
export async function listMembersFor(db: Database, caller: Caller) {
  const { workspaceId } = caller;
  const list = await listMembers(db, workspaceId);
  if (!(await isAdmin(db, caller, workspaceId))) return list;
  const active = await db
    .select({ userId: users.id, at: LAST_ACTIVE })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(eq(members.workspaceId, workspaceId));
  const times = new Map(active.map(({ userId, at }) => [userId, at]));
  return list.map((member) => ({ ...member, lastActiveAt: times.get(member.userId) ?? null }));
}

/**
 * When a user last signed in or used a session with a browser; null if the browser was forgotten since. A sign-in is
 * remembered after its session ended.
 */
const LAST_ACTIVE = sql<string | null>`greatest(
  (select max(s.last_used_at) from ${sessions} s where s.user_id = ${users}.id and s.kind = 'browser'),
  (select max(b.expires_at) from ${knownBrowsers} b where b.user_id = ${users}.id)
    - make_interval(secs => ${LIMITS.knownBrowserSeconds}::int))`.mapWith(sessions.lastUsedAt);

/** Returns the given role, else a member's current role, else admin for the first member and member for others. */
export async function chooseRole(
  db: Database,
  workspaceId: string,
  userId: string,
  role?: Role,
): Promise<Role> {
  if (role !== undefined) return role;
  const list = await listMembers(db, workspaceId);
  return list.find((member) => member.userId === userId)?.role ?? (list.length === 0 ? "admin" : "member");
}

/**
 * Moves a user with their meetings into a workspace, in one transaction. They leave their current one, and their shares
 * and invitations there end. Locked summaries that the new plan allows are unlocked. For the operator only: an admin
 * can't move people and their meetings without their consent.
 * @throws ApiError 403, 404 for an unknown user or workspace, 409 if they are the last admin while other members remain
 */
export async function joinWorkspace(
  db: Database,
  caller: Manager,
  userId: string,
  workspaceId: string,
  role: Role = "member",
) {
  requireOperator(caller);
  await enterWorkspace(db, caller, userId, workspaceId, role);
}

/**
 * Moves a user who agreed to it, as `joinWorkspace` does. The caller checks that both sides agree.
 * @param by the user themselves, or the operator
 */
export async function enterWorkspace(
  db: Database,
  by: AuditActor,
  userId: string,
  workspaceId: string,
  role: Role,
): Promise<void> {
  await db.transaction(async (tx) => {
    // Its plan must not change until the new member's summaries are unlocked.
    if (!(await lockWorkspace(tx, workspaceId, "share")))
      throw new ApiError("NOT_FOUND", MESSAGES.workspaceNotFound);
    const left = await moveMember(tx, by, userId, workspaceId, role);
    if (left === workspaceId) await audit(tx, by, `member.${role}`, userId, workspaceId);
    else await auditMove(tx, by, userId, { left, joined: workspaceId });
  });
}

/**
 * Moves a user out of their workspace into one of their own: their existing empty one, or a new one. The other members
 * lose access to their meetings with this transaction.
 * @throws ApiError 404 for an unknown user, 409 if they are the last admin while other members remain
 */
export async function leaveWorkspace(db: Database, caller: Manager, userId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { workspaceId } = await lockMembership(tx, userId, "update");
    const removed = caller.kind === "operator" || caller.userId !== userId;
    if (removed) {
      await requireAdmin(tx, caller, workspaceId);
      // A removal also ends sessions.
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
    await moveMember(tx, caller, userId, joined, "admin");
    await auditMove(tx, caller, userId, { left: workspaceId, joined });
  });
}

/** Records both workspaces of a move. */
export async function auditMove(
  tx: Database,
  by: AuditActor,
  userId: string,
  { left, joined }: { left: string; joined: string },
): Promise<void> {
  await audit(tx, by, "member.leave", userId, left);
  await audit(tx, by, "member.join", userId, joined);
}

/**
 * Makes a member an admin, or removes the role and with it their open invitations. @throws ApiError 409 for the last
 * admin
 */
export async function setRole(db: Database, caller: Manager, userId: string, role: Role): Promise<void> {
  await db.transaction(async (tx) => {
    const member = await lockMembership(tx, userId, "update");
    await requireAdmin(tx, caller, member.workspaceId);
    await changeRole(tx, caller, member, role);
    await audit(tx, caller, `member.${role}`, userId, member.workspaceId);
  });
}

/** Returns the initial name of a user's own workspace. */
export const toDefaultWorkspaceName = (userName: string): string => `${userName}'s workspace`;

/** Creates a user's own workspace, on the free plan, without members. */
export async function createOwnWorkspace(tx: Database, userId: string): Promise<string> {
  const [user] = await tx.select({ name: users.name }).from(users).where(eq(users.id, userId));
  const id = generateId("ws");
  await tx
    .insert(workspaces)
    .values({ id, name: toDefaultWorkspaceName(user?.name ?? "My"), ownerId: userId });
  return id;
}

/** Moves a user. @returns the id of their previous workspace @throws ApiError 409 for the last admin */
async function moveMember(
  tx: Database,
  by: AuditActor,
  userId: string,
  workspaceId: string,
  role: Role,
): Promise<string> {
  const member = await lockMembership(tx, userId, "update");
  if (member.workspaceId === workspaceId) {
    if (role !== member.role) await changeRole(tx, by, member, role);
    return workspaceId;
  }
  await requireAnotherAdmin(tx, member);
  await changeWorkspace(tx, by, member, workspaceId, role);
  return member.workspaceId;
}

/**
 * Changes a member's role. The invitations of a former admin end, and the apps that they let read the workspace.
 * @throws ApiError 409 for the last admin
 */
async function changeRole(tx: Database, by: AuditActor, member: Membership, role: Role): Promise<void> {
  if (role === "member") {
    await requireAnotherAdmin(tx, member);
    await revokeInvitationsTo(tx, by, member);
    await tx
      .delete(oauthGrants)
      .where(and(eq(oauthGrants.userId, member.userId), eq(oauthGrants.scopes, "workspace:read")));
  }
  await tx.update(members).set({ role, updatedAt: sql`now()` }).where(eq(members.userId, member.userId));
}

/**
 * Changes a user's workspace: ends their shares, invitations, connected apps, transcriptions and kept audio first, then the foreign keys
 * move everything else.
 */
export async function changeWorkspace(
  tx: Database,
  by: AuditActor,
  member: Membership,
  workspaceId: string,
  role: Role,
): Promise<void> {
  const { userId } = member;
  await revokeInvitationsTo(tx, by, member);
  await tx
    .delete(meetingShares)
    .where(or(eq(meetingShares.ownerId, userId), eq(meetingShares.userId, userId)));
  await tx.delete(tagShares).where(or(eq(tagShares.ownerId, userId), eq(tagShares.userId, userId)));
  await tx
    .delete(accessRequests)
    .where(or(eq(accessRequests.ownerId, userId), eq(accessRequests.userId, userId)));
  await tx.delete(oauthGrants).where(eq(oauthGrants.userId, userId));
  await tx.delete(calendars).where(eq(calendars.userId, userId));
  await tx.delete(transcriptions).where(eq(transcriptions.userId, userId));
  await tx.delete(keptAudio).where(eq(keptAudio.userId, userId));
  await tx
    .update(members)
    .set({ workspaceId, role, updatedAt: sql`now()` })
    .where(eq(members.userId, userId));
  await endInvitationsOf(tx, { userId, workspaceId });
  // The new workspace's plan may allow more.
  await unlockSummaries(tx, await getPlanLimits(tx, workspaceId), userId);
}

/** Requires that the remaining members have an admin. @throws ApiError 409 */
async function requireAnotherAdmin(tx: Database, leaving: Membership): Promise<void> {
  if (leaving.role !== "admin") return;
  // Two admins who leave concurrently must not both rely on the other.
  await lockWorkspace(tx, leaving.workspaceId);
  const others = await tx
    .select({ role: members.role })
    .from(members)
    .where(and(eq(members.workspaceId, leaving.workspaceId), ne(members.userId, leaving.userId)));
  if (others.length > 0 && !others.some((other) => other.role === "admin")) {
    throw new ApiError("CONFLICT", MESSAGES.lastAdmin);
  }
}

export interface NewUser {
  readonly email: string;
  readonly name: string;
}

/** Creates a user in their own workspace, as its admin. @throws ApiError 403, 409 for a taken address */
export async function createUser(db: Database, caller: Manager, input: NewUser): Promise<Membership> {
  requireOperator(caller);
  return insertUser(db, caller, input);
}

/**
 * Creates an account on a person's own request, as `createUser` does; the audit log names them. The caller checks their
 * permission. @throws ApiError 409 for a taken address
 */
export const registerUser = (db: Database, input: NewUser): Promise<Membership> =>
  insertUser(db, null, input);

/** Inserts a user with their own workspace. @param caller who creates the account; null: the user themselves */
function insertUser(db: Database, caller: Manager | null, input: NewUser): Promise<Membership> {
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
    await audit(tx, caller ?? { kind: "user", userId }, "user.create", userId);
    return { userId, workspaceId, role: "admin" };
  });
}

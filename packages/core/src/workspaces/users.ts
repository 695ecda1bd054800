import { MESSAGES } from "@minutes/contract";
import { type Database, isUniqueViolation, schema } from "@minutes/db";
import { and, asc, eq, inArray, isNull, sql } from "drizzle-orm";
import { requireSelf } from "../access/actor.js";
import { audit, auditDeletedMeetings } from "../access/audit.js";
import type { Manager, OperatorCaller } from "../access/callers.js";
import { recordDeletionEvents } from "../events/index.js";
import { markErased } from "../lib/erased-recordings.js";
import { ApiError } from "../lib/errors.js";
import { revokeEveryInvitation } from "./invitations.js";
import { lockMembership } from "./lock.js";
import { chooseRole, createUser, joinWorkspace, toDefaultWorkspaceName } from "./membership.js";
import { deleteEmptyWorkspaces, findWorkspace } from "./workspaces.js";

const {
  calendarAttendees,
  meetingHolds,
  meetings,
  members,
  participants,
  recordingDrafts,
  recordings,
  tasks,
  users,
  workspaces,
} = schema;

const selectUsers = (db: Database) =>
  db
    .select({
      userId: users.id,
      email: users.email,
      name: users.name,
      role: members.role,
      workspaceId: members.workspaceId,
      workspace: workspaces.name,
      plan: workspaces.plan,
    })
    .from(users)
    .innerJoin(members, eq(members.userId, users.id))
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId));

/** Finds a user with their workspace, role and plan. @throws ApiError 404 */
export async function findUser(db: Database, email: string) {
  const [user] = await selectUsers(db)
    .where(eq(users.email, email.toLowerCase()))
    .prepare("find_user")
    .execute();
  if (!user) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
  return user;
}

/** Finds a user by e-mail address or id, as `findUser` does. @throws ApiError 404 */
export async function findUserByEmailOrId(db: Database, emailOrId: string) {
  if (emailOrId.includes("@")) return findUser(db, emailOrId);
  const [user] = await selectUsers(db).where(eq(users.id, emailOrId));
  if (!user) throw new ApiError("NOT_FOUND", MESSAGES.userIdUnknown);
  return user;
}

/** Lists all users with their workspaces, roles and plans, by e-mail address. */
export const listUsers = async (db: Database) =>
  (await selectUsers(db).orderBy(asc(users.email))).map(toAnswer);

/** Gets a user by e-mail address or ID. @throws ApiError 404 */
export const getUser = async (db: Database, emailOrId: string) =>
  toAnswer(await findUserByEmailOrId(db, emailOrId));

/** Names a user's ID as in the answers to the operator. */
const toAnswer = <User extends { readonly userId: string }>({ userId, ...user }: User) => ({
  id: userId,
  ...user,
});

/** A user to create, and the workspace that they join. */
interface NewUserIn {
  readonly email: string;
  readonly name?: string | undefined;
  readonly workspace?: string | undefined;
  readonly ownWorkspace?: boolean | undefined;
  readonly role?: schema.Role | undefined;
}

/**
 * Creates a user in the named workspace, or else in the only one that is not somebody's own. Without such a workspace, or
 * with `ownWorkspace`, they get one of their own.
 * @throws ApiError 404 for an unknown workspace, 409 for a taken address, or if several workspaces can be meant
 */
export const createUserIn = (
  db: Database,
  caller: OperatorCaller,
  { email, name = email.split("@")[0] ?? email, workspace, ownWorkspace = false, role }: NewUserIn,
) =>
  db.transaction(async (tx) => {
    const joined =
      workspace !== undefined
        ? await findWorkspace(tx, workspace)
        : ownWorkspace
          ? null
          : await findOnlyWorkspace(tx);
    const { userId } = await createUser(tx, caller, { email, name });
    if (joined) {
      await joinWorkspace(tx, caller, userId, joined.id, await chooseRole(tx, joined.id, userId, role));
    }
    return getUser(tx, userId);
  });

/** Finds the workspace that is not somebody's own; null if there is none. @throws ApiError 409 if there are several */
async function findOnlyWorkspace(tx: Database): Promise<{ readonly id: string } | null> {
  const [only, another] = await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(isNull(workspaces.ownerId))
    .limit(2);
  if (another) throw new ApiError("CONFLICT", MESSAGES.severalWorkspaces);
  return only ?? null;
}

/**
 * Changes a user's name or e-mail address. Meetings and tasks keep the former address, which can pass to somebody else: the answer
 * counts them.
 * @throws ApiError 404, 409 if another user has the address
 */
export async function updateUser(
  db: Database,
  caller: OperatorCaller,
  { user, name, email }: { user: string; name?: string | undefined; email?: string | undefined },
) {
  const { former, changed } = await db.transaction(async (tx) => {
    const { userId, email: former } = await findUserByEmailOrId(tx, user);
    if (name !== undefined) await setName(tx, caller, userId, name);
    if (email !== undefined) await setEmail(tx, caller, userId, email);
    return { former, changed: await getUser(tx, userId) };
  });
  if (changed.email === former) return changed;
  // Afterwards, because the scans would hold up others who write to the user's meetings.
  return { ...changed, formerAddress: { email: former, ...(await countNaming(db, former)) } };
}

/** Counts the meetings and tasks of all users that name an address, in lower case. Scans their tables. */
async function countNaming(db: Database, email: string) {
  const [counts] = await db
    .select({
      meetings: sql<number>`(select count(*)::int from (
        select p.meeting_id from ${participants} p where lower(p.email) = ${email}
        union select a.meeting_id from ${calendarAttendees} a where lower(a.email) = ${email}
        union select k.meeting_id from ${tasks} k where lower(k.assignee_email) = ${email}) naming)`,
      tasks: sql<number>`(select count(*)::int from ${tasks} k where lower(k.assignee_email) = ${email})`,
    })
    .from(sql`(values (1)) one`);
  return counts ?? { meetings: 0, tasks: 0 };
}

/** Changes a user's name. @throws ApiError 403 unless the caller is the user or the operator */
export async function setName(db: Database, caller: Manager, userId: string, name: string): Promise<void> {
  requireSelf(caller, userId);
  await db.transaction(async (tx) => {
    await tx.update(users).set({ name, updatedAt: sql`now()` }).where(eq(users.id, userId));
    await audit(tx, caller, "user.name", userId);
  });
}

/** Changes a user's e-mail address. @throws ApiError 404, 409 if another user has the address */
export async function setEmail(db: Database, caller: Manager, userId: string, email: string): Promise<void> {
  requireSelf(caller, userId);
  await db.transaction(async (tx) => {
    const changed = await tx
      .update(users)
      .set({ email: email.toLowerCase(), emailConfirmed: caller.kind === "operator", updatedAt: sql`now()` })
      .where(eq(users.id, userId))
      .returning({ id: users.id })
      .catch((error: unknown) => {
        throw isUniqueViolation(error) ? new ApiError("CONFLICT", MESSAGES.emailTaken) : error;
      });
    if (changed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
    await audit(tx, caller, "user.email", userId);
  });
}

/**
 * Erases a user: their meetings with all content, tags, shares, keys, address and name. Their own workspace is deleted
 * as well, unless it has other members: then only their name is removed. Other users' meetings in which they spoke
 * stay. The audit log of the workspace has an entry for each meeting.
 * @param eraseHeld true if the caller confirmed that meetings on hold are deleted too
 * @throws ApiError 403 unless the caller is the user or the operator, 404, 409 if meetings are on hold
 */
export async function eraseUser(
  db: Database,
  caller: Manager,
  userId: string,
  { eraseHeld = false } = {},
): Promise<void> {
  requireSelf(caller, userId);
  await db.transaction(async (tx) => {
    // Locked first, to avoid a deadlock with imports and to keep new meetings from being imported.
    const { workspaceId } = await lockMembership(tx, userId, "update");
    if (!eraseHeld) await requireNoHolds(tx, { userId, workspaceId });
    const [user] = await tx.select({ name: users.name }).from(users).where(eq(users.id, userId));
    if (!user) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
    const own = tx.select({ id: meetings.id }).from(meetings).where(eq(meetings.userId, userId));
    const unfinished = tx
      .select({ id: recordingDrafts.recordingId })
      .from(recordingDrafts)
      .where(eq(recordingDrafts.userId, userId));
    await recordDeletionEvents(tx, sql`d.user_id = ${userId}`);
    await auditDeletedMeetings(tx, caller, sql`d.user_id = ${userId}`);
    await markErased(tx, sql`(r.id in ${own} or r.id in ${unfinished})`);
    await tx.delete(recordings).where(sql`${recordings.id} in ${own} or ${recordings.id} in ${unfinished}`);
    await revokeEveryInvitation(tx, caller, userId);
    await tx.delete(members).where(eq(members.userId, userId));
    await deleteEmptyWorkspaces(tx, eq(workspaces.ownerId, userId));
    await tx
      .update(workspaces)
      .set({ name: "Workspace", updatedAt: sql`now()` })
      .where(and(eq(workspaces.ownerId, userId), eq(workspaces.name, toDefaultWorkspaceName(user.name))));
    await tx.delete(users).where(eq(users.id, userId));
    await audit(tx, caller, "user.remove", userId, workspaceId);
  });
}

/**
 * Locks a member's meetings until the transaction ends, so that no hold that was confirmed to somebody is overlooked.
 * @throws ApiError 409 if one is on hold
 */
async function requireNoHolds(
  tx: Database,
  { userId, workspaceId }: { readonly userId: string; readonly workspaceId: string },
): Promise<void> {
  await tx.execute(sql`select count(*) from (
    select from ${meetings} m where m.user_id = ${userId} and m.workspace_id = ${workspaceId} order by m.id for update) locked`);
  if ((await countHeldMeetings(tx, [userId])) > 0) throw new ApiError("CONFLICT", MESSAGES.erasesHeld);
}

/** Counts the meetings of some users that are on hold. */
export const countHeldMeetings = (db: Database, userIds: readonly string[]): Promise<number> =>
  db.$count(
    meetings,
    and(
      inArray(meetings.userId, [...userIds]),
      sql`exists (select from ${meetingHolds} h where h.meeting_id = ${meetings.id})`,
    ),
  );

/**
 * Lists the e-mail addresses of a key's or webhook's holders: its user, or all admins of its workspace.
 * @see docs/open-questions.md#q21
 */
export async function listHolderAddresses(
  db: Database,
  { userId, workspaceId }: { readonly userId: string | null; readonly workspaceId: string | null },
): Promise<string[]> {
  const rows = await db
    .select({ email: users.email })
    .from(users)
    .where(
      workspaceId === null
        ? eq(users.id, userId ?? "")
        : inArray(
            users.id,
            db
              .select({ id: members.userId })
              .from(members)
              .where(and(eq(members.workspaceId, workspaceId), eq(members.role, "admin"))),
          ),
    );
  return rows.map(({ email }) => email);
}

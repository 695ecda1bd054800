import { type Database, schema } from "@minutes/db";
import { and, eq, inArray, isNull } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { audit } from "../access/audit.js";
import type { Manager, OperatorCaller, UserCaller, WorkspaceCaller } from "../access/callers.js";
import {
  chooseRole,
  countHeldMeetings,
  eraseUser,
  findMember,
  findUserByEmailOrId,
  findWorkspace,
  getUser,
  joinWorkspace,
  leaveWorkspace,
  listMembers,
  removeWorkspace,
  requireAdmin,
  setRole,
} from "../workspaces/index.js";
import { listCreatedCredentials, revokeCreatedCredentials } from "./credentials.js";

const { apiKeys, meetings, meetingShares, oneTimeLinks, sessions, tags, tagShares, tasks, workspaces } =
  schema;

/** A member, and whether what they created for the workspace is revoked in the same transaction. */
interface MemberChange {
  readonly userId: string;
  readonly revokeCredentials: boolean;
}

/** Makes a member of the caller's workspace an admin or a member. @throws ApiError 404, and as `setRole` */
export async function setMemberRole(
  db: Database,
  caller: UserCaller,
  { role, ...change }: MemberChange & { readonly role: schema.Role },
): Promise<void> {
  await findMember(db, caller.workspaceId, change);
  await changeMembership(db, caller, { ...change, workspaceId: caller.workspaceId }, (tx) =>
    setRole(tx, caller, change.userId, role),
  );
}

/**
 * Counts the meetings that leave the caller's workspace with a member, and those of them that are on hold.
 * @throws ApiError 404 for a non-member, 403 unless it is the caller themselves or the caller is an admin
 */
export async function previewRemoval(
  db: Database,
  caller: UserCaller | WorkspaceCaller,
  { userId }: { readonly userId: string },
) {
  const { workspaceId } = caller;
  await findMember(db, workspaceId, { userId });
  if (caller.kind === "workspace" || caller.userId !== userId) await requireAdmin(db, caller, workspaceId);
  const leaving = and(eq(meetings.userId, userId), eq(meetings.workspaceId, workspaceId));
  return { meetings: await db.$count(meetings, leaving), held: await countHeldMeetings(db, [userId]) };
}

/** Removes a member of the caller's workspace. @throws ApiError 404, and as `leaveWorkspace` */
export async function removeMember(db: Database, caller: UserCaller, change: MemberChange): Promise<void> {
  await findMember(db, caller.workspaceId, change);
  await changeMembership(db, caller, { ...change, workspaceId: caller.workspaceId }, (tx) =>
    leaveWorkspace(tx, caller, change.userId),
  );
}

/**
 * Ends all sessions of a member of the caller's workspace, and their one-time links, immediately on every process.
 * @throws ApiError 404 for a non-member, 403 unless the caller is an admin there
 */
export async function signOutMember(
  db: Database,
  caller: UserCaller,
  { userId }: { readonly userId: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireAdmin(tx, caller, caller.workspaceId);
    await findMember(tx, caller.workspaceId, { userId });
    await tx.delete(sessions).where(eq(sessions.userId, userId));
    await tx.delete(oneTimeLinks).where(eq(oneTimeLinks.userId, userId));
    await audit(tx, caller, "session.end-all", userId);
  });
}

/** Who joins or leaves which workspace, as the operator names them. */
interface Move {
  readonly workspace: string;
  readonly user: string;
  readonly revokeCredentials: boolean;
}

/**
 * Moves a user into a workspace, or changes a member's role.
 * @returns the user, the credentials that they created for a workspace that they leave or whose admin they no longer are, and
 *   how many meetings on hold left with them
 */
export async function addMember(
  db: Database,
  caller: OperatorCaller,
  { workspace, user, role, revokeCredentials }: Move & { readonly role?: schema.Role | undefined },
) {
  const { userId, workspaceId } = await findUserByEmailOrId(db, user);
  const { id } = await findWorkspace(db, workspace);
  const chosen = await chooseRole(db, id, userId, role);
  const losesRights = workspaceId !== id || chosen !== "admin";
  const credentials = losesRights ? await listCreatedCredentials(db, caller, workspaceId, userId) : [];
  await changeMembership(db, caller, { userId, workspaceId, revokeCredentials }, (tx) =>
    joinWorkspace(tx, caller, userId, id, chosen),
  );
  const heldMeetings = workspaceId === id ? 0 : await countHeldMeetings(db, [userId]);
  return { ...(await getUser(db, userId)), credentials, heldMeetings };
}

/**
 * Returns a member to their own workspace. Former members only lose the credentials, if they are revoked.
 * @returns the user, the credentials that they created for the workspace, and how many meetings on hold left with them
 */
export async function removeMemberOf(
  db: Database,
  caller: OperatorCaller,
  { workspace, user, revokeCredentials }: Move,
) {
  const { userId, workspaceId } = await findUserByEmailOrId(db, user);
  const { id } = await findWorkspace(db, workspace);
  const credentials = await listCreatedCredentials(db, caller, id, userId);
  await changeMembership(db, caller, { userId, workspaceId: id, revokeCredentials }, async (tx) => {
    if (workspaceId === id) await leaveWorkspace(tx, caller, userId);
  });
  const heldMeetings = workspaceId === id ? await countHeldMeetings(db, [userId]) : 0;
  return { ...(await getUser(db, userId)), credentials, heldMeetings };
}

/** Counts what erasing a user deletes. @throws ApiError 404 */
export async function previewUserDeletion(db: Database, { user }: { readonly user: string }) {
  const { userId } = await findUserByEmailOrId(db, user);
  return countErased(db, [userId]);
}

/** Counts what deleting a workspace with its members deletes. @throws ApiError 404 */
export async function previewWorkspaceDeletion(db: Database, { workspace }: { readonly workspace: string }) {
  const { id } = await findWorkspace(db, workspace);
  return countErased(
    db,
    (await listMembers(db, id)).map(({ userId }) => userId),
  );
}

async function countErased(db: Database, userIds: string[]) {
  const isErased = (userId: PgColumn) => inArray(userId, userIds);
  const given = await db.$count(meetingShares, isErased(meetingShares.ownerId));
  return {
    users: userIds.length,
    meetings: await db.$count(meetings, isErased(meetings.userId)),
    held: await countHeldMeetings(db, userIds),
    tasks: await db.$count(tasks, isErased(tasks.userId)),
    shares: given + (await db.$count(tagShares, isErased(tagShares.ownerId))),
    tags: await db.$count(tags, isErased(tags.userId)),
    keys: await db.$count(apiKeys, and(isErased(apiKeys.userId), isNull(apiKeys.revokedAt))),
  };
}

/**
 * Erases a user.
 * @returns the credentials that they created for their workspace, if it has other members, and how many meetings were on hold
 * @throws ApiError 404, 409 if meetings are on hold and `eraseHeld` is false
 */
export async function deleteUser(
  db: Database,
  caller: OperatorCaller,
  { user, revokeCredentials, eraseHeld }: Omit<Move, "workspace"> & { readonly eraseHeld: boolean },
) {
  const { userId, workspaceId } = await findUserByEmailOrId(db, user);
  const others = (await listMembers(db, workspaceId)).length > 1;
  const credentials = others ? await listCreatedCredentials(db, caller, workspaceId, userId) : [];
  let heldMeetings = 0;
  await changeMembership(db, caller, { userId, workspaceId, revokeCredentials }, async (tx) => {
    heldMeetings = await countHeldMeetings(tx, [userId]);
    await eraseUser(tx, caller, userId, { eraseHeld });
  });
  return { id: userId, credentials, heldMeetings };
}

/** A workspace to delete. */
interface WorkspaceDeletion {
  readonly workspace: string;
  readonly eraseMembers: boolean;
  readonly eraseHeld: boolean;
}

/**
 * Deletes a workspace in one transaction, optionally with its members and all their data.
 * @throws ApiError 404, and 409 for a workspace with members, or meetings on hold, that must not be erased
 */
export const deleteWorkspace = (
  db: Database,
  caller: OperatorCaller,
  { workspace, eraseMembers, eraseHeld }: WorkspaceDeletion,
) =>
  db.transaction(async (tx) => {
    const { id, name } = await findWorkspace(tx, workspace);
    const members = eraseMembers ? await listMembers(tx, id) : [];
    const heldMeetings = await countHeldMeetings(
      tx,
      members.map(({ userId }) => userId),
    );
    for (const { userId } of members) await eraseUser(tx, caller, userId, { eraseHeld });
    // A workspace owned by its last member is gone with that member.
    if ((await tx.$count(workspaces, eq(workspaces.id, id))) > 0) await removeWorkspace(tx, caller, id);
    return { id, name, erasedUsers: members.length, heldMeetings };
  });

/** Changes a membership and, in the same transaction, revokes what the member created for the workspace. */
async function changeMembership(
  db: Database,
  caller: Manager,
  { workspaceId, userId, revokeCredentials }: MemberChange & { readonly workspaceId: string },
  change: (tx: Database) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    // First, because an admin who leaves loses the permission.
    if (revokeCredentials) await revokeCreatedCredentials(tx, caller, workspaceId, userId);
    await change(tx);
  });
}

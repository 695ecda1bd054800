import { MESSAGES, PLAN_LIMITS, type Plan } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, inArray, ne, or, type SQL, sql } from "drizzle-orm";
import { requireOperator } from "../access/actor.js";
import { audit } from "../access/audit.js";
import type { Manager, OperatorCaller } from "../access/callers.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { lockMembers, lockWorkspace } from "./lock.js";
import { unlockSummaries } from "./plans/index.js";

const { members, recordings, workspaces } = schema;

/**
 * Creates a workspace without members.
 * @throws ApiError 403 unless the caller is the operator, 409 if a workspace has the name
 */
export async function createWorkspace(
  db: Database,
  caller: Manager,
  input: { name: string; plan: Plan },
): Promise<{ id: string; name: string; plan: Plan }> {
  requireOperator(caller);
  const id = generateId("ws");
  await db.transaction(async (tx) => {
    await requireFreeName(tx, input.name);
    await tx.insert(workspaces).values({ id, ...input });
    await audit(tx, caller, "workspace.create", id);
  });
  return { id, ...input };
}

/** Locks a name. A unique index is not possible, because users' own workspaces can have equal names. @throws ApiError 409 */
async function requireFreeName(tx: Database, name: string, except = ""): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('workspace ' || ${name}, 0))`);
  const [taken] = await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(eq(workspaces.name, name), ne(workspaces.id, except)))
    .limit(1);
  if (taken) throw new ApiError("CONFLICT", MESSAGES.workspaceNameTaken);
}

/** Changes a workspace's name or plan. @throws ApiError 404, 409 if another has the name */
export const updateWorkspace = (
  db: Database,
  caller: OperatorCaller,
  { workspace, name, plan }: { workspace: string; name?: string | undefined; plan?: Plan | undefined },
) =>
  db.transaction(async (tx) => {
    const { id } = await findWorkspace(tx, workspace);
    if (name !== undefined) {
      await requireFreeName(tx, name, id);
      await tx.update(workspaces).set({ name, updatedAt: sql`now()` }).where(eq(workspaces.id, id));
      await audit(tx, caller, "workspace.rename", id);
    }
    if (plan !== undefined) await setPlan(tx, caller, id, plan);
    return findWorkspace(tx, id);
  });

/** Gets a workspace by ID or name, with the number of its members. @throws ApiError 404, 409 if several have the name */
export async function getWorkspace(db: Database, idOrName: string) {
  const workspace = await findWorkspace(db, idOrName);
  return { ...workspace, members: await db.$count(members, eq(members.workspaceId, workspace.id)) };
}

/** Lists workspaces by name: those with members, and empty ones that are not a user's own. */
export const listWorkspaces = (db: Database) =>
  db
    .select({
      id: workspaces.id,
      name: workspaces.name,
      plan: workspaces.plan,
      members: count(members.userId),
    })
    .from(workspaces)
    .leftJoin(members, eq(members.workspaceId, workspaces.id))
    .groupBy(workspaces.id)
    .having(sql`count(${members.userId}) > 0 or ${workspaces.ownerId} is null`)
    .orderBy(asc(workspaces.name), asc(workspaces.id));

/**
 * Changes the plan of a workspace and so of its members. Unlocks the summaries it allows, oldest first. A lower plan
 * locks nothing.
 * @throws ApiError 404, 403 unless the caller is the operator
 */
export async function setPlan(db: Database, caller: Manager, workspaceId: string, plan: Plan): Promise<void> {
  requireOperator(caller);
  await db.transaction(async (tx) => {
    // Memberships are locked first, as when moving members; a running completion ends before its user's summaries are
    // unlocked.
    await lockMembers(tx, workspaceId);
    const changed = await tx
      .update(workspaces)
      .set({ plan, updatedAt: sql`now()` })
      .where(eq(workspaces.id, workspaceId))
      .returning({ id: workspaces.id });
    if (changed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.workspaceNotFound);
    // Repeated, because a user may have joined before the plan was changed.
    for (const userId of await lockMembers(tx, workspaceId)) {
      await unlockSummaries(tx, PLAN_LIMITS[plan], userId);
    }
    await audit(tx, caller, `workspace.plan.${plan}`, workspaceId);
  });
}

/**
 * Finds a workspace by id or name.
 * @throws ApiError 404, or 409 if several have the name
 */
export async function findWorkspace(db: Database, idOrName: string) {
  const found = await db
    .select({ id: workspaces.id, name: workspaces.name, plan: workspaces.plan })
    .from(workspaces)
    .where(or(eq(workspaces.id, idOrName), eq(workspaces.name, idOrName)))
    .limit(2);
  const [workspace] = found;
  if (!workspace) throw new ApiError("NOT_FOUND", MESSAGES.workspaceNotFound);
  if (found.length > 1) throw new ApiError("CONFLICT", MESSAGES.workspaceNameAmbiguous);
  return workspace;
}

/**
 * Removes a workspace without members, with its keys.
 * @throws ApiError 404, 403 unless the caller is the operator, 409 if it has members
 */
export async function removeWorkspace(db: Database, caller: Manager, workspaceId: string): Promise<void> {
  requireOperator(caller);
  await db.transaction(async (tx) => {
    // Prevents anyone from joining.
    if (!(await lockWorkspace(tx, workspaceId))) throw new ApiError("NOT_FOUND", MESSAGES.workspaceNotFound);
    const removed = await deleteEmptyWorkspaces(tx, eq(workspaces.id, workspaceId));
    if (removed === 0) throw new ApiError("CONFLICT", MESSAGES.workspaceHasMembers);
    await audit(tx, caller, "workspace.remove", workspaceId);
  });
}

/** Deletes those of the workspaces without members, with their tombstones. @returns the number of deleted workspaces */
export async function deleteEmptyWorkspaces(tx: Database, which: SQL): Promise<number> {
  const empty = await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(and(which, sql`not exists (select from ${members} m where m.workspace_id = ${workspaces.id})`));
  const ids = empty.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await tx
    .delete(recordings)
    .where(and(inArray(recordings.workspaceId, ids), eq(recordings.state, "deleted")));
  await tx.delete(workspaces).where(inArray(workspaces.id, ids));
  return ids.length;
}

import { MESSAGES, type Plan } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { asc, count, eq, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { newId } from "../ids.js";
import { requireAdmin } from "./membership.js";

const { members, workspaces } = schema;

/** Creates a workspace that nobody is in yet. */
export async function createWorkspace(
  db: Database,
  actor: Actor,
  input: { name: string; plan: Plan },
): Promise<{ id: string }> {
  const id = newId("ws");
  await db.transaction(async (tx) => {
    await tx.insert(workspaces).values({ id, ...input });
    await audit(tx, actor, "workspace.create", id);
  });
  return { id };
}

/** Workspaces that have members, and empty ones that are nobody's own, by name. */
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

/** Puts a workspace, and with it every member, on a plan. */
export async function setPlan(db: Database, actor: Actor, workspaceId: string, plan: Plan): Promise<void> {
  await db.transaction(async (tx) => {
    await requireAdmin(tx, actor, workspaceId);
    const changed = await tx
      .update(workspaces)
      .set({ plan, updatedAt: sql`now()` })
      .where(eq(workspaces.id, workspaceId))
      .returning({ id: workspaces.id });
    if (changed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.workspaceNotFound);
    await audit(tx, actor, `workspace.plan.${plan}`, workspaceId);
  });
}

import { MESSAGES } from "@minutes/contract";
import { type Database, isDuplicate, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";

const { members, recordings, meetings, users, workspaces } = schema;

/** A user with his place. @throws ApiError 404 */
export async function findUser(db: Database, email: string) {
  const [user] = await db
    .select({
      userId: users.id,
      email: users.email,
      name: users.name,
      workspaceId: members.workspaceId,
      role: members.role,
      plan: workspaces.plan,
    })
    .from(users)
    .innerJoin(members, eq(members.userId, users.id))
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(users.email, email.toLowerCase()));
  if (!user) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
  return user;
}

/** @throws ApiError 404, or 409 when another user has the address. */
export async function setEmail(db: Database, actor: Actor, userId: string, email: string): Promise<void> {
  await db.transaction(async (tx) => {
    const changed = await tx
      .update(users)
      .set({ email: email.toLowerCase(), updatedAt: sql`now()` })
      .where(eq(users.id, userId))
      .returning({ id: users.id })
      .catch((error: unknown) => {
        throw isDuplicate(error) ? new ApiError("CONFLICT", MESSAGES.emailTaken) : error;
      });
    if (changed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
    await audit(tx, actor, "user.email", userId);
  });
}

/**
 * Erases a user: his meetings with everything in them, tags, shares, keys, and the address itself. What others
 * recorded with him in it is theirs and stays.
 */
export async function removeUser(db: Database, actor: Actor, userId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const own = tx.select({ id: meetings.id }).from(meetings).where(eq(meetings.userId, userId));
    await tx.delete(recordings).where(sql`${recordings.id} in ${own}`);
    const removed = await tx.delete(users).where(eq(users.id, userId)).returning({ id: users.id });
    if (removed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
    await audit(tx, actor, "user.remove", userId);
  });
}

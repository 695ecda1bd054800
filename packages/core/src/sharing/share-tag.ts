import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { notFoundIfDeleted } from "../errors.js";
import { recordTagShareEvents } from "../events/index.js";
import { requireTagOwner } from "../tags/index.js";
import { requireSameWorkspace } from "./same-workspace.js";

const { tagShares } = schema;

/**
 * Shares a tag, and every meeting that has it, with another member of its owner's workspace. Repeating it is a no-op.
 * @throws ApiError 404 for an unknown user and unless the actor owns the tag, 409 if they are in different workspaces
 */
export async function shareTag(db: Database, actor: Actor, tagId: string, withUserId: string): Promise<void> {
  await db
    .transaction(async (tx) => {
      const ownerId = await requireTagOwner(tx, actor, tagId);
      const reader = await requireSameWorkspace(tx, ownerId, withUserId);
      const shared = await tx
        .insert(tagShares)
        .values({ tagId, ownerId, userId: withUserId, workspaceId: reader.workspaceId })
        .onConflictDoNothing()
        .returning({ userId: tagShares.userId });
      if (shared.length > 0) await recordTagShareEvents(tx, tagId, withUserId);
      await audit(tx, actor, "tag.share", tagId);
    })
    .catch(notFoundIfDeleted(MESSAGES.tagNotFound));
}

/** Ends a tag's share. @throws ApiError 404 unless the actor owns the tag */
export async function unshareTag(
  db: Database,
  actor: Actor,
  tagId: string,
  withUserId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireTagOwner(tx, actor, tagId);
    await tx.delete(tagShares).where(and(eq(tagShares.tagId, tagId), eq(tagShares.userId, withUserId)));
    await audit(tx, actor, "tag.unshare", tagId);
  });
}

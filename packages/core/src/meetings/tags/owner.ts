import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { Manager } from "../../access/callers.js";
import { ApiError } from "../../lib/errors.js";

const { tags } = schema;

/**
 * Requires that the caller is the tag's owner or the operator.
 * @returns the owner's id
 * @throws ApiError 404 for an unknown tag and for another user's tag
 */
export async function requireTagOwner(tx: Database, caller: Manager, tagId: string): Promise<string> {
  const [tag] = await tx.select({ ownerId: tags.userId }).from(tags).where(eq(tags.id, tagId));
  if (!tag || (caller.kind === "user" && caller.userId !== tag.ownerId))
    throw new ApiError("NOT_FOUND", MESSAGES.tagNotFound);
  return tag.ownerId;
}

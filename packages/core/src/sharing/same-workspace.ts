import { MESSAGES } from "@minutes/contract";
import type { Database } from "@minutes/db";
import { ApiError } from "../errors.js";
import { lockMembership, type Membership } from "../workspaces/index.js";

/**
 * Requires that owner and reader are two members of one workspace, and locks both memberships until the transaction
 * ends. Locks are taken in id order, so that two shares can't deadlock.
 * @returns the reader's membership
 * @throws ApiError 404 for an unknown user, 409 if they are the same person or in different workspaces
 */
export async function requireSameWorkspace(
  tx: Database,
  ownerId: string,
  readerId: string,
): Promise<Membership> {
  if (ownerId === readerId) throw new ApiError("CONFLICT", MESSAGES.shareWithOther);
  const first = await lockMembership(tx, ownerId < readerId ? ownerId : readerId, "no key update");
  const second = await lockMembership(tx, ownerId < readerId ? readerId : ownerId, "no key update");
  if (first.workspaceId !== second.workspaceId) throw new ApiError("CONFLICT", MESSAGES.notInSameWorkspace);
  return first.userId === readerId ? first : second;
}

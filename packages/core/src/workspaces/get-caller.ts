import { MESSAGES, type WhoIsCalling } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { Caller } from "../access/callers.js";
import { ApiError } from "../lib/errors.js";
import { findUserByEmailOrId } from "./users.js";

const { workspaces } = schema;

/** Returns the user, or null for a workspace key, and the workspace that a caller's key belongs to. */
export async function getCaller(db: Database, caller: Caller): Promise<WhoIsCalling> {
  const [workspace] = await db
    .select({ id: workspaces.id, name: workspaces.name })
    .from(workspaces)
    .where(eq(workspaces.id, caller.workspaceId));
  if (!workspace) throw new ApiError("NOT_FOUND", MESSAGES.workspaceNotFound);
  if (caller.kind === "workspace") return { user: null, workspace };
  const { userId: id, name, email, role } = await findUserByEmailOrId(db, caller.userId);
  return { user: { id, name, email, role }, workspace };
}

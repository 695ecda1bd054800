import { type Database, schema } from "@minutes/db";
import { type Actor, toActorName } from "./actor.js";

/**
 * Records who did what to which object: ids alone, never content. Part of the caller's transaction.
 * @param workspaceId the workspace that somebody joined or left.
 */
export async function audit(
  db: Database,
  actor: Actor,
  action: string,
  object: string,
  workspaceId: string | null = null,
): Promise<void> {
  await db.insert(schema.auditLog).values({ actor: toActorName(actor), action, object, workspaceId });
}

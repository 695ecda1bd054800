import { type Database, schema } from "@minutes/db";
import { type Actor, actorName } from "./actor.js";

/** Notes who did what to which object: ids alone, never content. Part of the caller's transaction. */
export async function audit(db: Database, actor: Actor, action: string, object: string): Promise<void> {
  await db.insert(schema.auditLog).values({ actor: actorName(actor), action, object });
}

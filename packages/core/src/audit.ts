import { type Database, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { type Actor, toActorName } from "./actor.js";

const { apiKeys, ingestKeys, meetings, members, tags, webhooks, workspaces } = schema;

/**
 * Records who did what to which object: ids alone, never content. Part of the caller's transaction. The admins of the
 * actor's workspace may read the entry; of the operator's entries, those of the object's.
 * @param workspaceId the workspace that somebody joined or left, whose admins may read the entry.
 */
export async function audit(
  db: Database,
  actor: Actor,
  action: string,
  object: string,
  workspaceId: string | null = null,
): Promise<void> {
  const shownIn =
    workspaceId ??
    (actor.kind === "user" ? selectWorkspaceOfUser(sql`${actor.userId}`) : selectWorkspaceOfObject(object));
  await db
    .insert(schema.auditLog)
    .values({ actor: toActorName(actor), action, object, workspaceId, shownIn });
}

const selectWorkspaceOfUser = (userId: SQL): SQL<string | null> =>
  sql`(select workspace_id from ${members} where user_id = ${userId})`;

/** Finds the workspace that an object belongs to; null when it is gone, or belongs to none. */
export const selectWorkspaceOfObject = (id: string): SQL<string | null> => sql`coalesce(
  (select id from ${workspaces} where id = ${id}),
  ${selectWorkspaceOfUser(sql`${id}`)},
  (select workspace_id from ${meetings} where id = ${id}),
  (select coalesce(k.workspace_id, ${selectWorkspaceOfUser(sql`k.user_id`)}) from ${apiKeys} k where k.id = ${id}),
  (select workspace_id from ${ingestKeys} where id = ${id}),
  (select coalesce(w.workspace_id, ${selectWorkspaceOfUser(sql`w.user_id`)}) from ${webhooks} w where w.id = ${id}),
  (select ${selectWorkspaceOfUser(sql`t.user_id`)} from ${tags} t where t.id = ${id}))`;

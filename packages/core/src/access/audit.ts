import { runInBatches } from "@minutes/background";
import type { AuditAction } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { type AuditActor, toActorName } from "./actor.js";

const {
  apiKeys,
  auditLog,
  ingestKeys,
  meetings,
  members,
  people,
  retentionRules,
  summaryInstructions,
  tags,
  tasks,
  webhooks,
  workspaces,
} = schema;

/** Method and network of a sign-in or failed sign-in. */
export interface SignInOrigin {
  readonly method: schema.SignInMethod;
  /** Such as `192.0.2.0/24`, from `toNetwork`; null if unknown. */
  readonly network: string | null;
}

/**
 * Records who did what to which object: only ids, never content. Part of the caller's transaction. The entry can be
 * read by the admins of the actor's workspace or, if the actor is not a user, of the object's workspace.
 * @param workspaceId the workspace that somebody joined, left, was erased from or is invited back to, or that a retention rule is
 *   for; its admins can read the entry
 * @param origin of a sign-in; null for other actions
 */
export async function audit(
  db: Database,
  actor: AuditActor,
  action: AuditAction,
  object: string,
  workspaceId: string | null = null,
  origin: SignInOrigin | null = null,
): Promise<void> {
  const isUser = actor.kind === "user" && !("via" in actor && actor.via.kind !== "session");
  const shownIn =
    workspaceId ?? (isUser ? selectWorkspaceOfUser(sql`${actor.userId}`) : selectWorkspaceOfObject(object));
  await db
    .insert(schema.auditLog)
    .values({ actor: toActorName(actor), action, object, workspaceId, shownIn, ...origin });
}

/**
 * Records for each of some meetings that it is deleted, with IDs only. Call it in the deleting transaction, before the
 * deletion.
 * @param which a condition on meetings `d`
 */
export async function auditDeletedMeetings(tx: Database, actor: AuditActor, which: SQL): Promise<void> {
  await tx.execute(sql`insert into ${auditLog} (actor, action, object, shown_in)
    select ${toActorName(actor)}, 'meeting.delete', d.id, d.workspace_id from ${meetings} d where ${which}`);
}

const selectWorkspaceOfUser = (userId: SQL): SQL<string | null> =>
  sql`(select workspace_id from ${members} where user_id = ${userId})`;

/** Returns the workspace that an object belongs to; null if it is gone or belongs to none. */
export const selectWorkspaceOfObject = (id: string): SQL<string | null> =>
  // While processes of two versions run, a table that is new must not be in the entries of all others.
  id.startsWith("ins_")
    ? sql`(select coalesce(i.workspace_id, ${selectWorkspaceOfUser(sql`i.user_id`)}) from ${summaryInstructions} i where i.id = ${id})`
    : sql`coalesce(
  (select id from ${workspaces} where id = ${id}),
  ${selectWorkspaceOfUser(sql`${id}`)},
  (select workspace_id from ${meetings} where id = ${id}),
  (select workspace_id from ${tasks} where id = ${id}),
  (select workspace_id from ${people} where id = ${id}),
  (select coalesce(k.workspace_id, ${selectWorkspaceOfUser(sql`k.user_id`)}) from ${apiKeys} k where k.id = ${id}),
  (select workspace_id from ${ingestKeys} where id = ${id}),
  (select coalesce(w.workspace_id, ${selectWorkspaceOfUser(sql`w.user_id`)}) from ${webhooks} w where w.id = ${id}),
  (select ${selectWorkspaceOfUser(sql`t.user_id`)} from ${tags} t where t.id = ${id}),
  (select workspace_id from ${retentionRules} where id = ${id}))`;

/** Deletes audit log entries older than `days`. */
export async function purgeAudit(db: Database, days: number): Promise<void> {
  await runInBatches((limit) =>
    db
      .delete(auditLog)
      .where(
        sql`${auditLog.id} in (select a.id from ${auditLog} a
          where a.at < now() - make_interval(days => ${days}::int) order by a.at limit ${limit})`,
      )
      .returning({ id: auditLog.id }),
  );
}

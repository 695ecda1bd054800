import type { ListAudit } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, desc, eq, gte, like, lt, lte, or } from "drizzle-orm";

const { auditLog, users } = schema;

/**
 * Lists the audit log, newest first. Entries have ids and no content. `actorEmail` is null for the operator, a key, a
 * failed sign-in, and a deleted user. `method` and `network` are null except for sign-ins.
 * @param input `shownIn` restricts to entries that the admins of that workspace can read
 */
export async function listAudit(db: Database, input: ListAudit & { readonly shownIn?: string }) {
  const { actor, action, object, workspaceId, shownIn, from, to, cursor, limit } = input;
  const rows = await db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      actor: auditLog.actor,
      actorEmail: users.email,
      action: auditLog.action,
      object: auditLog.object,
      workspaceId: auditLog.workspaceId,
      method: auditLog.method,
      network: auditLog.network,
    })
    .from(auditLog)
    .leftJoin(users, eq(users.id, auditLog.actor))
    .where(
      and(
        actor === undefined ? undefined : or(eq(auditLog.actor, actor), eq(users.email, actor.toLowerCase())),
        // `key` matches `key.create`, `key.revoke`, …
        action === undefined
          ? undefined
          : or(eq(auditLog.action, action), like(auditLog.action, `${escapePattern(action)}.%`)),
        object === undefined ? undefined : eq(auditLog.object, object),
        workspaceId === undefined ? undefined : eq(auditLog.workspaceId, workspaceId),
        shownIn === undefined ? undefined : eq(auditLog.shownIn, shownIn),
        from === undefined ? undefined : gte(auditLog.at, from),
        to === undefined ? undefined : lte(auditLog.at, to),
        cursor === undefined ? undefined : lt(auditLog.id, cursor),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit + 1);
  const entries = rows.slice(0, limit);
  return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/** Escapes the wildcards of LIKE. */
const escapePattern = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

import type { AuditPage, ListAudit } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, desc, eq, gte, like, lt, lte, or } from "drizzle-orm";
import type { Manager } from "../../access/index.js";
import { requireAdmin } from "../membership.js";
import { findUser } from "../users.js";
import { findWorkspace } from "../workspaces.js";
import { readNames } from "./names.js";

const { auditLog, users } = schema;

/**
 * Lists the audit log, newest first. Entries have ids and no content. `actorEmail` is null for the operator, a key, a
 * failed sign-in, and a deleted user. `actorName` and `objectName` are null for what is gone and for what the reader may
 * not see elsewhere. `method` and `network` are null except for sign-ins. A user gets the entries that the admins of
 * their workspace can read.
 * @throws ApiError 403 unless the caller is an admin or the operator; 404 for an e-mail address or a workspace's name that
 * nobody has
 */
export async function listAudit(db: Database, caller: Manager, input: ListAudit): Promise<AuditPage> {
  const reader = caller.kind === "user" ? caller : null;
  if (reader) await requireAdmin(db, reader, reader.workspaceId);
  const { actor, action, object, from, to, cursor, limit } = input;
  // Only the operator: an admin must not learn who else has an account. A deleted workspace still has entries.
  if (!reader && actor?.includes("@")) await findUser(db, actor);
  const workspaceId = input.workspaceId && (await toWorkspaceId(db, input.workspaceId));
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
        reader === null ? undefined : eq(auditLog.shownIn, reader.workspaceId),
        from === undefined ? undefined : gte(auditLog.at, from),
        to === undefined ? undefined : lte(auditLog.at, to),
        cursor === undefined ? undefined : lt(auditLog.id, cursor),
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  const names = await readNames(
    db,
    page.flatMap((entry) => [entry.actor, entry.object]),
    reader,
  );
  const entries = page.map((entry) => ({
    ...entry,
    actorName: names.get(entry.actor) ?? null,
    objectName: names.get(entry.object) ?? null,
  }));
  return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/** Returns an ID as it is, also of a deleted workspace, and the ID of a name. @throws ApiError 404, 409 */
const toWorkspaceId = async (db: Database, idOrName: string): Promise<string> =>
  idOrName.startsWith("ws_") ? idOrName : (await findWorkspace(db, idOrName)).id;

/** Escapes the wildcards of LIKE. */
const escapePattern = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

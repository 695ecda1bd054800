import type { ListAudit } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, type Column, desc, eq, gte, inArray, like, lt, lte, or } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";

const { apiKeys, auditLog, ingestKeys, invitations, members, users, webhooks, workspaces } = schema;

/**
 * Lists the audit log, newest first. Entries have ids and no content. `actorEmail` is null for the operator, a key, a
 * failed sign-in, and a deleted user. `actorName` and `objectName` are names that admins see elsewhere: of keys,
 * webhooks and workspaces, and e-mail addresses of people; null for everything else, such as meetings and tags.
 * `method` and `network` are null except for sign-ins.
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
  const page = rows.slice(0, limit);
  const names = await readNames(
    db,
    page.flatMap((entry) => [entry.actor, entry.object]),
    shownIn,
  );
  const entries = page.map((entry) => ({
    ...entry,
    actorName: names.get(entry.actor) ?? null,
    objectName: names.get(entry.object) ?? null,
  }));
  return { entries, nextCursor: rows.length > limit ? (entries.at(-1)?.id ?? null) : null };
}

/** Escapes the wildcards of LIKE. */
const escapePattern = (text: string): string => text.replace(/[\\%_]/g, "\\$&");

/**
 * Reads the names of those of these ids that have one.
 * @param workspaceId restricts names of things to those of the workspace and its present members
 */
async function readNames(
  db: Database,
  ids: readonly string[],
  workspaceId: string | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const wanted = [...new Set(ids)];
  const within = (owner: Column, holder?: Column) =>
    workspaceId === undefined
      ? undefined
      : or(
          eq(owner, workspaceId),
          holder &&
            inArray(
              holder,
              db.select({ id: members.userId }).from(members).where(eq(members.workspaceId, workspaceId)),
            ),
        );
  const [first, second, ...others] = [
    { from: users, name: users.email, where: undefined },
    { from: apiKeys, name: apiKeys.name, where: within(apiKeys.workspaceId, apiKeys.userId) },
    { from: ingestKeys, name: ingestKeys.name, where: within(ingestKeys.workspaceId) },
    { from: webhooks, name: webhooks.name, where: within(webhooks.workspaceId, webhooks.userId) },
    { from: workspaces, name: workspaces.name, where: within(workspaces.id) },
    { from: invitations, name: invitations.email, where: within(invitations.workspaceId) },
  ].map(({ from, name, where }) =>
    db
      .select({ id: from.id, name })
      .from(from)
      .where(and(inArray(from.id, wanted), where)),
  );
  const rows = first && second ? await unionAll(first, second, ...others) : [];
  return new Map(rows.flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}

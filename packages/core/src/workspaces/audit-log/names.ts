import { type Database, runNamedStatement, schema, writeArray } from "@minutes/db";
import { and, type Column, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/pg-core";
import { buildScopeCondition, visibleTags, visibleTo } from "../../access/index.js";

const { apiKeys, ingestKeys, invitations, meetings, members, sessions, users, webhooks, workspaces } = schema;

/** An admin who reads their workspace's log. */
export interface AuditReader {
  readonly userId: string;
  readonly workspaceId: string;
}

interface Named {
  readonly id: string;
  readonly name: string | null;
}

/**
 * Reads the names of those of these IDs that have one: of keys, webhooks and workspaces, e-mail addresses of people, and
 * labels of sessions.
 * @param reader restricts the names to those of the workspace and its present members, and adds meetings and tags that the
 *   reader can see; null: the operator, who sees no content
 */
export async function readNames(
  db: Database,
  ids: readonly string[],
  reader: AuditReader | null,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const wanted = [...new Set(ids)];
  const rows = await Promise.all([
    readNamesOfThings(db, wanted, reader?.workspaceId),
    reader ? readNamesOfContent(db, wanted, reader) : [],
  ]);
  return new Map(rows.flat().flatMap(({ id, name }) => (name === null ? [] : [[id, name] as const])));
}

async function readNamesOfThings(
  db: Database,
  ids: string[],
  workspaceId: string | undefined,
): Promise<readonly Named[]> {
  const within = (owner: Column, holder?: Column): SQL | undefined => {
    if (workspaceId === undefined) return undefined;
    const present = db
      .select({ id: members.userId })
      .from(members)
      .where(eq(members.workspaceId, workspaceId));
    return or(eq(owner, workspaceId), holder && inArray(holder, present));
  };
  const [first, second, ...others] = [
    { from: users, name: users.email, where: undefined },
    { from: apiKeys, name: apiKeys.name, where: within(apiKeys.workspaceId, apiKeys.userId) },
    { from: ingestKeys, name: ingestKeys.name, where: within(ingestKeys.workspaceId) },
    { from: webhooks, name: webhooks.name, where: within(webhooks.workspaceId, webhooks.userId) },
    { from: workspaces, name: workspaces.name, where: within(workspaces.id) },
    { from: invitations, name: invitations.email, where: within(invitations.workspaceId) },
    { from: sessions, name: sessions.label, where: undefined }, // Leaving the workspace ends them.
  ].map(({ from, name, where }) =>
    db
      .select({ id: from.id, name })
      .from(from)
      .where(and(inArray(from.id, ids), where)),
  );
  return first && second ? unionAll(first, second, ...others) : [];
}

const GIVEN = sql`any(${sql.placeholder("ids")}::text::text[])`;

/** Reads the titles of meetings and the names of tags that the reader can see; others might tell their content. */
const readNamesOfContent = (db: Database, ids: string[], { userId }: AuditReader): PromiseLike<Named[]> => {
  const scope = visibleTo({ userId });
  return runNamedStatement<Named>(
    db,
    `audit_names_${scope.name}`,
    () => sql`
      select m.id, m.title as name from ${meetings} m where m.id = ${GIVEN} and ${buildScopeCondition(scope)}
      union all
      select id, name from ${visibleTags} visible where id = ${GIVEN}`,
    { ...scope.values, ids: writeArray(ids) },
  );
};

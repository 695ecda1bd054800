import {
  type ChangedPerson,
  MESSAGES,
  type MergePeople,
  type UnmergePerson,
  type UpdatePerson,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Caller } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { requireAdmin } from "../../workspaces/index.js";
import { fromMentions, isPersonIn, mentionedName } from "../index.js";

const { meetings, participants, people, tasks } = schema;

/**
 * Renames a person, for an admin or a workspace key. Their meetings follow in the background.
 * @throws ApiError 403, 404 for a person of another workspace
 */
export const updatePerson = (
  db: Database,
  caller: Caller,
  { personId, name }: UpdatePerson,
): Promise<ChangedPerson> =>
  changeDirectory(db, caller, async (tx, workspaceId) => {
    const head = await lockPerson(tx, workspaceId, personId);
    await tx
      .update(people)
      .set({ name, revision: sql`${people.revision} + 1`, updatedAt: sql`now()` })
      .where(eq(people.id, head.id));
    await audit(tx, caller, "person.rename", head.id, workspaceId);
    return { personId: head.id, ...(await count(tx, head.id)) };
  });

/**
 * Merges a person into another one, for an admin or a workspace key: one redirect, which all readers follow at once. Names in
 * their meetings follow in the background.
 * @throws ApiError 403, 404 for a person of another workspace, 400 for twice the same one
 */
export const mergePeople = (
  db: Database,
  caller: Caller,
  { personId, intoId, dryRun }: MergePeople,
): Promise<ChangedPerson> =>
  changeDirectory(db, caller, async (tx, workspaceId) => {
    const [fromId, toId] = [
      await findHead(tx, workspaceId, personId),
      await findHead(tx, workspaceId, intoId),
    ];
    // Always in the same order, so that concurrent merges don't deadlock.
    const heads = new Map<string, Head>();
    for (const id of [fromId, toId].sort()) heads.set(id, await lockPerson(tx, workspaceId, id));
    const [from, into] = [heads.get(fromId), heads.get(toId)];
    if (!from || !into || from.id === into.id) throw new ApiError("BAD_REQUEST", MESSAGES.samePerson);
    const counts = await count(tx, from.id);
    if (!dryRun) {
      // Both, because an undone merge gives the first one their name back.
      for (const head of [from, into]) await confirmName(tx, workspaceId, head);
      await tx
        .update(people)
        .set({ mergedInto: into.id, updatedAt: sql`now()` })
        .where(sql`${people.id} = ${from.id} or ${people.mergedInto} = ${from.id}`);
      await tx
        .update(people)
        .set({ revision: Math.max(from.revision, into.revision) + 1, updatedAt: sql`now()` })
        .where(eq(people.id, into.id));
      await audit(tx, caller, "person.merge", personId, workspaceId);
    }
    return { personId: into.id, ...counts };
  });

/**
 * Undoes a merge, for an admin or a workspace key: the person's rows never left them. Names in their meetings follow in the
 * background. People who had been merged into them stay with the other.
 * @throws ApiError 403, 404 for a person of another workspace, 409 for one who is not merged
 */
export const unmergePerson = (
  db: Database,
  caller: Caller,
  { personId }: UnmergePerson,
): Promise<ChangedPerson> =>
  changeDirectory(db, caller, async (tx, workspaceId) => {
    // The other first, as a merge does, so that a merge of both at once comes before or after.
    const head = await lockPerson(tx, workspaceId, personId);
    const separated = await tx
      .update(people)
      .set({ mergedInto: null, revision: head.revision + 1, updatedAt: sql`now()` })
      .where(and(eq(people.id, personId), eq(people.mergedInto, head.id)))
      .returning({ id: people.id });
    if (separated.length === 0) throw new ApiError("CONFLICT", MESSAGES.personNotMerged);
    await audit(tx, caller, "person.unmerge", personId, workspaceId);
    return { personId, ...(await count(tx, personId)) };
  });

/** Changes the directory of the caller's workspace in a transaction. @throws ApiError 403 for a user who is no admin */
const changeDirectory = (
  db: Database,
  caller: Caller,
  change: (tx: Database, workspaceId: string) => Promise<ChangedPerson>,
): Promise<ChangedPerson> =>
  db.transaction(async (tx) => {
    if (caller.kind === "user") await requireAdmin(tx, caller, caller.workspaceId);
    return change(tx, caller.workspaceId);
  });

interface Head {
  readonly id: string;
  readonly revision: number;
}

/** Returns the ID of the person that an ID leads to in a workspace; the ID itself if it is unknown there. */
async function findHead(tx: Database, workspaceId: string, id: string): Promise<string> {
  const [person] = await tx
    .select({ into: people.mergedInto })
    .from(people)
    .where(and(eq(people.id, id), eq(people.workspaceId, workspaceId)));
  return person?.into ?? id;
}

/** Locks the person who stands for an ID. @throws ApiError 404 */
async function lockPerson(tx: Database, workspaceId: string, id: string): Promise<Head> {
  const [person] = await tx
    .select({ id: people.id, revision: people.revision })
    .from(people)
    .where(
      sql`${people.id} = coalesce((select r.merged_into from ${people} r where r.id = ${id}), ${id})
        and ${people.workspaceId} = ${workspaceId} and ${people.mergedInto} is null`,
    )
    .for("no key update");
  if (!person) throw new ApiError("NOT_FOUND", MESSAGES.personNotFound);
  return person;
}

/**
 * Gives a person whom nobody has renamed or merged the name that the workspace sees. A merge spreads the directory's, which is
 * whatever somebody called them first.
 */
async function confirmName(tx: Database, workspaceId: string, { id, revision }: Head): Promise<void> {
  if (revision > 0) return;
  const named = sql`select ${mentionedName} from ${fromMentions(sql`array[${id}::text]`)}
    where m.workspace_id = ${workspaceId}`;
  await tx
    .update(people)
    .set({ name: sql`coalesce((${named}), ${people.name})` })
    .where(eq(people.id, id));
}

/** Counts the meetings and tasks of a person in their workspace. */
async function count(tx: Database, id: string): Promise<Pick<ChangedPerson, "meetings" | "tasks">> {
  const isThem = sql`(g.id = ${id} or g.merged_into = ${id})`;
  const [counts] = await tx
    .select({
      meetings: sql<number>`(select count(distinct m.id)::int from ${people} g, ${participants} p, ${meetings} m
        where ${isThem} and m.id = p.meeting_id and ${isPersonIn(sql`g`, sql`p.person_id`, sql`m.workspace_id`)})`,
      tasks: sql<number>`(select count(*)::int from ${people} g, ${tasks} k
        where ${isThem} and ${isPersonIn(sql`g`, sql`k.assignee_person_id`, sql`k.workspace_id`)})`,
    })
    .from(sql`(values (1)) one`);
  return counts ?? { meetings: 0, tasks: 0 };
}

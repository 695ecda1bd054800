import { type ListedTerm, MESSAGES, type Vocabulary } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, count, eq, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { RecorderCaller, UserCaller } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { lockMembership, lockWorkspace, requireAdmin } from "../index.js";
import { getPlanLimits } from "../plans/index.js";

const { members, users, vocabularyTerms } = schema;

/**
 * Returns the terms for a member of the recorder's workspace, their own and the team's, for a transcriber.
 * @throws ApiError 404 for a non-member
 */
export async function getRecorderVocabulary(
  db: Database,
  { workspaceId }: RecorderCaller,
  email: string,
): Promise<Vocabulary> {
  const [owner] = await db
    .select({ userId: users.id })
    .from(users)
    .innerJoin(members, eq(members.userId, users.id))
    .where(and(eq(users.email, email), eq(members.workspaceId, workspaceId)));
  if (!owner) throw new ApiError("NOT_FOUND", MESSAGES.ownerNotFound);
  return listVocabulary(db, { userId: owner.userId, workspaceId });
}

/** Lists a user's own terms and those of a workspace, each sorted by code point. */
export async function listVocabulary(
  db: Database,
  { userId, workspaceId }: Pick<UserCaller, "userId" | "workspaceId">,
): Promise<Vocabulary> {
  const rows = await db
    .select({ userId: vocabularyTerms.userId, term: vocabularyTerms.term })
    .from(vocabularyTerms)
    .where(sql`${vocabularyTerms.userId} = ${userId} or ${vocabularyTerms.workspaceId} = ${workspaceId}`)
    .orderBy(sql`${vocabularyTerms.term} collate "C"`);
  const listTerms = (personal: boolean) =>
    rows.filter((row) => (row.userId !== null) === personal).map(({ term }) => term);
  return { personal: listTerms(true), team: listTerms(false) };
}

/**
 * Adds a term to the caller's own list or, for an admin, to their team's. Adding an existing term is a no-op.
 * @see docs/specification.md#limits
 * @throws ApiError 403 for a team's list unless the caller is an admin, 409 if the list is full
 */
export async function addTerm(db: Database, caller: UserCaller, { list, term }: ListedTerm): Promise<void> {
  await db.transaction(async (tx) => {
    const { holder, workspaceId } = await lockList(tx, caller, list);
    const [there] = await tx
      .select({ id: vocabularyTerms.id })
      .from(vocabularyTerms)
      .where(and(sql`${holder.column} = ${holder.id}`, eq(vocabularyTerms.term, term)));
    if (there) return;
    const [row] = await tx
      .select({ terms: count() })
      .from(vocabularyTerms)
      .where(sql`${holder.column} = ${holder.id}`);
    const { vocabularyTerms: allowed } = await getPlanLimits(tx, workspaceId);
    if ((row?.terms ?? 0) >= allowed) throw new ApiError("CONFLICT", MESSAGES.tooManyTerms);
    const id = generateId("trm");
    await tx.insert(vocabularyTerms).values({ id, [holder.field]: holder.id, term });
    await audit(tx, caller, `vocabulary.${list}.add`, holder.id);
  });
}

/** Removes a term from a list. @throws ApiError 403 as `addTerm`, 404 if it is not on the list */
export async function removeTerm(
  db: Database,
  caller: UserCaller,
  { list, term }: ListedTerm,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { holder } = await lockList(tx, caller, list);
    const removed = await tx
      .delete(vocabularyTerms)
      .where(and(sql`${holder.column} = ${holder.id}`, eq(vocabularyTerms.term, term)))
      .returning({ id: vocabularyTerms.id });
    if (removed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.termNotFound);
    await audit(tx, caller, `vocabulary.${list}.remove`, holder.id);
  });
}

/** Locks a list that the caller can change, so that concurrent additions can't exceed its limit. */
async function lockList(tx: Database, caller: UserCaller, list: ListedTerm["list"]) {
  const { userId } = caller;
  const { workspaceId } = await lockMembership(tx, userId, "no key update");
  if (list === "personal") {
    return { holder: { column: vocabularyTerms.userId, field: "userId", id: userId }, workspaceId } as const;
  }
  await requireAdmin(tx, caller, workspaceId);
  await lockWorkspace(tx, workspaceId);
  return {
    holder: { column: vocabularyTerms.workspaceId, field: "workspaceId", id: workspaceId },
    workspaceId,
  } as const;
}

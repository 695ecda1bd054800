import {
  type CreateInstruction,
  LIMITS,
  MESSAGES,
  type SummaryInstruction,
  type SummaryInstructions,
  type UpdateInstruction,
} from "@minutes/contract";
import { type Database, isUniqueViolation, schema } from "@minutes/db";
import { and, count, eq, or, type SQL, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { UserCaller } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { lockMembership, lockWorkspace, requireAdmin } from "../index.js";

const { summaryInstructions } = schema;
const { id, userId: ofUser, workspaceId: ofWorkspace } = summaryInstructions;

/** The holder of a list: a user, or a workspace. */
type Holder = { readonly userId: string } | { readonly workspaceId: string };

const isHeldBy = (holder: Holder): SQL =>
  "userId" in holder ? eq(ofUser, holder.userId) : eq(ofWorkspace, holder.workspaceId);

const COLUMNS = {
  id,
  name: summaryInstructions.name,
  prompt: summaryInstructions.prompt,
  language: summaryInstructions.language,
  tag: summaryInstructions.tag,
  word: summaryInstructions.word,
  isDefault: summaryInstructions.isDefault,
};

/** Lists a user's own instructions and those of a workspace, each by name. */
export async function listInstructions(
  db: Database,
  { userId, workspaceId }: Pick<UserCaller, "userId" | "workspaceId">,
): Promise<Omit<SummaryInstructions, "refusal">> {
  const rows = await db
    .select({ ...COLUMNS, isOwn: sql<boolean>`${ofUser} is not null` })
    .from(summaryInstructions)
    .where(or(eq(ofUser, userId), eq(ofWorkspace, workspaceId)))
    .orderBy(sql`${summaryInstructions.name} collate "C"`);
  const list = (own: boolean) => rows.filter(({ isOwn }) => isOwn === own).map(({ isOwn: _, ...row }) => row);
  return { personal: list(true), team: list(false) };
}

/** Lists instructions as `listInstructions` does, and says whether summaries are written with them. */
export const showInstructions = async (
  db: Database,
  caller: UserCaller,
  hasSummarizer: boolean,
): Promise<SummaryInstructions> => ({
  ...(await listInstructions(db, caller)),
  refusal: hasSummarizer ? null : MESSAGES.noSummarizer,
});

/**
 * Creates an instruction in the caller's own list or, for an admin, in their team's.
 * @throws ApiError 403 for a team's list unless the caller is an admin, 409 if the list is full or has the name
 */
export async function createInstruction(
  db: Database,
  caller: UserCaller,
  { list, ...facts }: CreateInstruction,
): Promise<SummaryInstruction> {
  return db.transaction(async (tx) => {
    const holder = await lockList(tx, caller, list === "personal");
    const [row] = await tx.select({ number: count() }).from(summaryInstructions).where(isHeldBy(holder));
    if ((row?.number ?? 0) >= LIMITS.instructionsPerList)
      throw new ApiError("CONFLICT", MESSAGES.tooManyInstructions);
    if (facts.isDefault) await clearDefault(tx, holder);
    const [created] = await tx
      .insert(summaryInstructions)
      .values({ id: generateId("ins"), ...holder, ...facts })
      .returning(COLUMNS)
      .catch(refuseTakenName);
    if (!created) throw new Error("An instruction was not created.");
    await audit(tx, caller, "instruction.create", created.id);
    return created;
  });
}

/**
 * Changes the given facts of an instruction.
 * @throws ApiError 404, 403 for a team's unless the caller is an admin, 409 if the list has another with the name
 */
export async function updateInstruction(
  db: Database,
  caller: UserCaller,
  { instructionId, ...facts }: UpdateInstruction,
): Promise<SummaryInstruction> {
  return db.transaction(async (tx) => {
    const holder = await lockListOf(tx, caller, instructionId);
    if (facts.isDefault) await clearDefault(tx, holder);
    const [updated] = await tx
      .update(summaryInstructions)
      .set({ ...facts, updatedAt: sql`now()` })
      .where(and(eq(id, instructionId), isHeldBy(holder)))
      .returning(COLUMNS)
      .catch(refuseTakenName);
    if (!updated) throw new ApiError("NOT_FOUND", MESSAGES.instructionNotFound);
    await audit(tx, caller, "instruction.update", instructionId);
    return updated;
  });
}

/** Deletes an instruction. @throws ApiError 404, 403 as `updateInstruction` */
export async function deleteInstruction(
  db: Database,
  caller: UserCaller,
  instructionId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const holder = await lockListOf(tx, caller, instructionId);
    await audit(tx, caller, "instruction.delete", instructionId);
    const deleted = await tx
      .delete(summaryInstructions)
      .where(and(eq(id, instructionId), isHeldBy(holder)))
      .returning({ id });
    if (deleted.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.instructionNotFound);
  });
}

const clearDefault = (tx: Database, holder: Holder) =>
  tx.update(summaryInstructions).set({ isDefault: false }).where(isHeldBy(holder));

function refuseTakenName(error: unknown): never {
  throw isUniqueViolation(error) ? new ApiError("CONFLICT", MESSAGES.instructionNameTaken) : error;
}

/** Locks a list that the caller can change, so that what is counted stays so. @throws ApiError 403 */
async function lockList(tx: Database, caller: UserCaller, isPersonal: boolean): Promise<Holder> {
  const { userId } = caller;
  const { workspaceId } = await lockMembership(tx, userId, "no key update");
  if (isPersonal) return { userId };
  await requireAdmin(tx, caller, workspaceId);
  await lockWorkspace(tx, workspaceId);
  return { workspaceId };
}

/** Locks the list of an instruction that the caller sees. @throws ApiError 404, 403 */
async function lockListOf(tx: Database, caller: UserCaller, instructionId: string): Promise<Holder> {
  const { userId, workspaceId } = caller;
  const [found] = await tx
    .select({ isOwn: sql<boolean>`${ofUser} is not null` })
    .from(summaryInstructions)
    .where(and(eq(id, instructionId), or(eq(ofUser, userId), eq(ofWorkspace, workspaceId))));
  if (!found) throw new ApiError("NOT_FOUND", MESSAGES.instructionNotFound);
  return lockList(tx, caller, found.isOwn);
}

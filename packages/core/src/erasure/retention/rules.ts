import { LIMITS, MESSAGES, type RetentionPreview, type RetentionRule } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, count, eq, inArray, min, type SQL, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { Caller, Manager } from "../../access/callers.js";
import { ApiError } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { isAdmin, lockWorkspace, requireAdmin } from "../../workspaces/index.js";
import { isDecidedBy, isHeld, type Rule, readRules, selectAged } from "./due.js";

const { members, retentionRules, tags } = schema;
const { id, workspaceId: ofWorkspace, tag: ofTag, days: keptDays, createdAt, nextRunAt } = retentionRules;

/** A rule for a tag; without one, for meetings whose tags have no rule. */
interface NewRule {
  readonly tag?: string | undefined;
  readonly days: number;
}

/** When the next run may delete meetings, after a change of the rules. */
const inADay: SQL = sql`now() + interval '1 day'`;

/** Lists a workspace's rules: that for all meetings, then by tag. @throws ApiError 403 unless the caller is an admin */
export async function listRetentionRules(db: Database, caller: Caller): Promise<{ rules: RetentionRule[] }> {
  const { workspaceId } = caller;
  await requireAdmin(db, caller, workspaceId);
  const rules = await db
    .select({ id, tag: ofTag, days: keptDays, createdAt, nextRunAt })
    .from(retentionRules)
    .where(eq(ofWorkspace, workspaceId))
    .orderBy(sql`${ofTag} collate "C" nulls first`);
  return { rules };
}

/**
 * Sets the rule for all meetings or for a tag, or changes its days. The workspace's rules delete nothing for a day.
 * @throws ApiError 403 unless the caller is an admin, 409 if there are too many rules
 */
export async function setRetentionRule(
  db: Database,
  caller: Caller,
  { tag, days }: NewRule,
): Promise<RetentionRule> {
  const { workspaceId } = caller;
  return db.transaction(async (tx) => {
    await lockWorkspace(tx, workspaceId);
    await requireAdmin(tx, caller, workspaceId);
    const [rule] = await tx
      .insert(retentionRules)
      .values({ id: generateId("ret"), workspaceId, tag: tag ?? null, days, nextRunAt: inADay })
      .onConflictDoUpdate({ target: [ofWorkspace, ofTag], set: { days } })
      .returning({ id, tag: ofTag, days: keptDays, createdAt });
    if (!rule) throw new Error("A rule was neither made nor found.");
    const [rules] = await tx
      .select({ number: count() })
      .from(retentionRules)
      .where(eq(ofWorkspace, workspaceId));
    if ((rules?.number ?? 0) > LIMITS.retentionRulesPerWorkspace)
      throw new ApiError("CONFLICT", MESSAGES.tooManyRetentionRules);
    await audit(tx, caller, `retention.set.${days}`, rule.id, workspaceId);
    return { ...rule, nextRunAt: await postpone(tx, workspaceId) };
  });
}

/**
 * Deletes a rule. The workspace's other rules delete nothing for a day.
 * @throws ApiError 404 for an unknown rule, and unless the caller is an admin of its workspace
 */
export async function deleteRetentionRule(db: Database, caller: Manager, ruleId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const notFound = new ApiError("NOT_FOUND", MESSAGES.retentionRuleNotFound);
    const [rule] = await tx.select({ workspaceId: ofWorkspace }).from(retentionRules).where(eq(id, ruleId));
    if (!rule || !(await isAdmin(tx, caller, rule.workspaceId))) throw notFound;
    await lockWorkspace(tx, rule.workspaceId);
    await audit(tx, caller, "retention.delete", ruleId, rule.workspaceId);
    const deleted = await tx.delete(retentionRules).where(eq(id, ruleId)).returning({ id });
    if (deleted.length === 0) throw notFound;
    await postpone(tx, rule.workspaceId);
  });
}

/** Postpones the runs of a workspace's rules, whose lock the transaction holds. */
async function postpone(tx: Database, workspaceId: string): Promise<string> {
  const [rule] = await tx
    .update(retentionRules)
    .set({ nextRunAt: inADay, positionStart: null, positionId: null })
    .where(eq(ofWorkspace, workspaceId))
    .returning({ nextRunAt });
  return rule?.nextRunAt ?? "";
}

/**
 * Counts what a workspace's rules would delete now. Changes nothing.
 * @param change counts as if this rule were set; without `days`, by the present rules
 * @throws ApiError 403 unless the caller is an admin
 */
export async function previewRetention(
  db: Database,
  caller: Caller,
  change: { readonly tag?: string | undefined; readonly days?: number | undefined } = {},
): Promise<RetentionPreview> {
  const { workspaceId } = caller;
  await requireAdmin(db, caller, workspaceId);
  const { tag = null, days } = change;
  const present = await readRules(db, workspaceId);
  const rules: readonly Rule[] =
    days === undefined ? present : [...present.filter((rule) => rule.tag !== tag), { tag, days }];
  const counts = { meetings: 0, held: 0 };
  for (const rule of rules) {
    const one = { workspaceId, rule, rules };
    const [found] = await db
      .select({
        all: sql<number>`count(*)::int`,
        held: sql<number>`count(*) filter (where ${isHeld(sql`a.id`)})::int`,
      })
      .from(sql`(${selectAged(one)}) a`)
      .where(isDecidedBy(one, sql`a.id`, { many: true }));
    counts.meetings += (found?.all ?? 0) - (found?.held ?? 0);
    counts.held += found?.held ?? 0;
  }
  const named = rules.flatMap(({ tag }) => tag ?? []);
  const [next] = await db
    .select({ at: min(nextRunAt) })
    .from(retentionRules)
    .where(eq(ofWorkspace, workspaceId));
  return {
    ...counts,
    unusedTags: await listUnusedTags(db, { workspaceId }, named),
    nextRunAt: next?.at ?? null,
  };
}

/** Returns the given names that no tag of the workspace's members has, or without a workspace no tag of the user, sorted. */
export async function listUnusedTags(
  db: Database,
  { workspaceId, userId }: { readonly workspaceId?: string; readonly userId?: string },
  names: readonly string[],
): Promise<string[]> {
  if (names.length === 0) return [];
  const used = await db
    .selectDistinct({ name: tags.name })
    .from(tags)
    .innerJoin(members, eq(members.userId, tags.userId))
    .where(
      and(
        workspaceId === undefined ? eq(members.userId, userId ?? "") : eq(members.workspaceId, workspaceId),
        inArray(tags.name, [...names]),
      ),
    );
  const known = new Set(used.map(({ name }) => name));
  return names.filter((name) => !known.has(name)).sort();
}

import { MESSAGES, sharedTag, type UpdateMeetingTags } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, inArray, isNull, or, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { UserCaller } from "../../access/callers.js";
import { recordUpdateEvents } from "../../events/index.js";
import { ApiError, notFoundIfDeleted } from "../../lib/errors.js";
import { ensureTag, requireMeetingOwner } from "../index.js";

const { members, meetingTags, retentionRules, tags, tagShares, webhooks } = schema;

/**
 * Adds and removes the caller's tags of their meeting. It changes neither who gets the meeting nor when it is deleted.
 * @throws ApiError 404 for an unknown meeting or removed tag, 403 unless the caller owns the meeting, 409 for a tag that is
 * shared, or named by a retention rule or webhook
 * @see docs/decisions/0389-tags-by-key.md
 */
export async function updateMeetingTags(
  db: Database,
  caller: UserCaller,
  { meetingId, add = [], remove = [] }: UpdateMeetingTags,
): Promise<void> {
  await db
    .transaction(async (tx) => {
      const refusal = MESSAGES.notYourMeetingToEdit;
      const meeting = await requireMeetingOwner(tx, caller, meetingId, { lock: true, refusal });
      const known = await lockTags(tx, caller.userId, [...add, ...remove]);
      const removed = [...new Set(remove)].map((name) => known.get(name) ?? refuseUnknown());
      const added: string[] = [];
      // In order of their names, so that two calls that create the same tags can't wait for each other.
      for (const name of [...new Set(add)].toSorted())
        added.push(known.get(name) ?? (await ensureTag(tx, caller.userId, name)).id);
      await requireWithoutEffect(tx, caller.userId, [...added, ...removed]);
      const inserted = await addTags(
        tx,
        added.map((tagId) => ({ ...meeting, tagId })),
      );
      const deleted = await removeTags(tx, meetingId, removed);
      if (inserted + deleted > 0) await recordUpdateEvents(tx, [meetingId]);
      if (inserted > 0) await audit(tx, caller, "meeting.tag", meetingId);
      if (deleted > 0) await audit(tx, caller, "meeting.untag", meetingId);
    })
    .catch(notFoundIfDeleted(MESSAGES.meetingNotFound));
}

/**
 * Locks those of a user's tags that exist, in ID order and before any weaker lock, so that concurrent calls with the same
 * tags wait in turn.
 * @returns their IDs by name
 */
async function lockTags(
  tx: Database,
  userId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await tx
    .select({ id: tags.id, name: tags.name })
    .from(tags)
    .where(and(eq(tags.userId, userId), inArray(tags.name, [...names])))
    .orderBy(asc(tags.id))
    .for("update");
  return new Map(found.map(({ id, name }) => [name, id]));
}

function refuseUnknown(): never {
  throw new ApiError("NOT_FOUND", MESSAGES.tagNotFound);
}

/**
 * Requires that tags are neither shared nor named by a rule or webhook, and locks them, so that nobody shares them before the
 * transaction ends.
 */
async function requireWithoutEffect(tx: Database, userId: string, ids: string[]): Promise<void> {
  await tx
    .select({ id: tags.id })
    .from(tags)
    .where(inArray(tags.id, ids))
    .orderBy(asc(tags.id))
    .for("update");
  const [shared] = await tx
    .select({ readers: count() })
    .from(tagShares)
    .where(inArray(tagShares.tagId, ids))
    .groupBy(tagShares.tagId)
    .limit(1);
  if (shared) throw new ApiError("CONFLICT", sharedTag(shared.readers));
  const [rule] = await tx
    .select({ id: retentionRules.id })
    .from(tags)
    .innerJoin(members, eq(members.userId, tags.userId))
    .innerJoin(
      retentionRules,
      and(eq(retentionRules.workspaceId, members.workspaceId), eq(retentionRules.tag, tags.name)),
    )
    .where(and(eq(tags.userId, userId), inArray(tags.id, ids)))
    .limit(1);
  if (rule) throw new ApiError("CONFLICT", MESSAGES.tagOfRule);
  const [webhook] = await tx
    .select({ id: webhooks.id })
    .from(tags)
    .innerJoin(members, eq(members.userId, tags.userId))
    .innerJoin(
      webhooks,
      and(
        isNull(webhooks.deletedAt),
        sql`${tags.name} = any(${webhooks.tags})`,
        or(eq(webhooks.userId, tags.userId), eq(webhooks.workspaceId, members.workspaceId)),
      ),
    )
    .where(and(eq(tags.userId, userId), inArray(tags.id, ids)))
    .limit(1);
  if (webhook) throw new ApiError("CONFLICT", MESSAGES.tagOfWebhook);
}

async function addTags(tx: Database, rows: (typeof meetingTags.$inferInsert)[]): Promise<number> {
  if (rows.length === 0) return 0;
  return (await tx.insert(meetingTags).values(rows).onConflictDoNothing().returning()).length;
}

async function removeTags(tx: Database, meetingId: string, ids: string[]): Promise<number> {
  if (ids.length === 0) return 0;
  const which = and(eq(meetingTags.meetingId, meetingId), inArray(meetingTags.tagId, ids));
  return (await tx.delete(meetingTags).where(which).returning()).length;
}

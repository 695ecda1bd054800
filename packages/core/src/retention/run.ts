import { LIMITS } from "@minutes/contract";
import { type Database, schema, writeArray } from "@minutes/db";
import { sql } from "drizzle-orm";
import { SERVER, toActorName } from "../actor.js";
import { notifyWorkers } from "../events/index.js";
import { deleteWith } from "../meetings/index.js";
import { isHeld, isOverdue, selectRules } from "./due.js";

const { meetings, retentionRules, workspaces } = schema;

/** Meetings deleted in one transaction, to keep locks short. */
const BATCH = 50;

/** A run of a workspace's rules. Its end, which the run wrote, is the fencing token: a change of the rules moves it. */
interface Run {
  readonly workspaceId: string;
  readonly nextRunAt: string;
}

/**
 * Deletes meetings that are older than their workspace's rules allow and not on hold, oldest first: at most 1,000 in a
 * workspace and hour, whatever the number of processes. What a killed process left is deleted in the next hour.
 * @see docs/decisions/0340-retention.md
 */
export async function runRetention(db: Database, signal: AbortSignal): Promise<void> {
  for (let run = await startRun(db); run && !signal.aborted; run = await startRun(db))
    await deleteOverdue(db, run, signal);
}

/** Takes the rules of a workspace that are due for the next hour. @returns null if none are */
async function startRun(db: Database): Promise<Run | null> {
  const { workspaceId, nextRunAt } = retentionRules;
  const [run] = await db
    .update(retentionRules)
    .set({ nextRunAt: sql`now() + interval '1 hour'` })
    .where(
      sql`${nextRunAt} <= now() and ${workspaceId} = (
        select w.id from ${workspaces} w
        where exists (select from ${retentionRules} r where r.workspace_id = w.id and r.next_run_at <= now())
        order by w.id limit 1 for no key update skip locked)`,
    )
    .returning({ workspaceId, nextRunAt });
  return run ?? null;
}

async function deleteOverdue(db: Database, run: Run, signal: AbortSignal): Promise<void> {
  let left: number = LIMITS.retentionPerRun;
  while (left > 0 && !signal.aborted) {
    const limit = Math.min(BATCH, left);
    const found = await db.transaction((tx) => deleteSome(tx, run, limit));
    if (found < limit) return;
    left -= found;
  }
}

/**
 * Deletes some meetings unless the rules have changed. Locks them first, so that the deleting statement sees every hold,
 * tag and move that was confirmed to somebody. Meetings locked by others wait for the next run.
 * @returns the number of meetings that it found
 */
async function deleteSome(tx: Database, { workspaceId, nextRunAt }: Run, limit: number): Promise<number> {
  const rules = await tx
    .select({ nextRunAt: retentionRules.nextRunAt })
    .from(retentionRules)
    .where(sql`${retentionRules.workspaceId} = ${workspaceId}`)
    .for("share");
  if (rules.length === 0 || rules.some((rule) => rule.nextRunAt !== nextRunAt)) return 0;
  const which = sql`${isOverdue(workspaceId, selectRules(workspaceId))} and not ${isHeld}`;
  const found = await tx
    .select({ id: sql<string>`m.id` })
    .from(sql`${meetings} m`)
    .where(which)
    .orderBy(sql`m.start_time, m.id`)
    .limit(limit)
    .for("update", { skipLocked: true });
  if (found.length === 0) return 0;
  const ids = writeArray(found.map(({ id }) => id));
  await tx.execute(sql`
    with ${deleteWith(sql`m.id = any(${ids}::text::text[]) and ${which}`, sql`${toActorName(SERVER)}`, "meeting.expire")}
    select ${notifyWorkers} where exists (select from notices)`);
  return found.length;
}

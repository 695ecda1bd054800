import { LIMITS } from "@minutes/contract";
import { type Database, schema, writeArray } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { SERVER, toActorName } from "../../access/actor.js";
import { notifyWorkers } from "../../events/index.js";
import { deleteWith } from "../../meetings/index.js";
import {
  isDecidedBy,
  isDue,
  isHeld,
  type Position,
  type Rule,
  type RuleOf,
  readRules,
  selectAged,
} from "./due.js";

const { meetings, retentionRules, workspaces } = schema;

/** Meetings deleted in one transaction, to keep locks short. */
const BATCH = 50;
/** Meetings looked at by one statement, and for each rule in a run. */
const PAGE = 1_000;
const PER_RUN = 200 * PAGE;

/** A run of a workspace's rules. Its end, which the run wrote, is the fencing token: a change of the rules moves it. */
interface Run {
  readonly workspaceId: string;
  readonly nextRunAt: string;
  /** When it was due. */
  readonly dueAt: string;
}

type StoredRule = Rule & typeof retentionRules.$inferSelect;

/**
 * Deletes meetings that are older than their workspace's rules allow and not on hold, oldest first: at most 1,000 in a
 * workspace and hour, whatever the number of processes. What a killed process left is deleted in the next hour; a run that
 * fails is due again, and does not keep other workspaces from theirs.
 * @throws the first fault, after all other runs
 * @see docs/decisions/0340-retention.md
 */
export async function runRetention(db: Database, signal: AbortSignal): Promise<void> {
  await shortenWaits(db);
  const faults: unknown[] = [];
  const failed: string[] = [];
  for (let run = await startRun(db, failed); run && !signal.aborted; run = await startRun(db, failed))
    try {
      await applyRules(db, run, signal);
    } catch (error) {
      faults.push(error);
      failed.push(run.workspaceId);
      await putBack(db, run);
    }
  if (faults.length > 0) throw faults[0];
}

/**
 * Lets no rule wait longer than the day after a change: one that does was changed while the database's clock was ahead. Whether
 * its day is over is unknown, so it begins now.
 */
async function shortenWaits(db: Database): Promise<void> {
  const inADay = sql`now() + interval '1 day'`;
  await db
    .update(retentionRules)
    .set({ nextRunAt: inADay })
    .where(sql`${retentionRules.nextRunAt} > ${inADay} + interval '1 second'`);
}

/** Takes the rules of a workspace that are due for the next hour. @returns null if none are */
async function startRun(db: Database, except: readonly string[]): Promise<Run | null> {
  const { workspaceId, nextRunAt } = retentionRules;
  const [run] = await db
    .update(retentionRules)
    .set({ nextRunAt: sql`now() + interval '1 hour'` })
    .from(
      sql`(select w.id, (select min(r.next_run_at)::text from ${retentionRules} r where r.workspace_id = w.id) as due_at
        from ${workspaces} w
        where exists (select from ${retentionRules} r where r.workspace_id = w.id and r.next_run_at <= now())
          and w.id <> all(${writeArray(except)}::text::text[])
        order by w.id limit 1 for no key update skip locked) due`,
    )
    .where(sql`${workspaceId} = due.id and ${nextRunAt} <= now()`)
    .returning({ workspaceId, nextRunAt, dueAt: sql<string>`due.due_at` });
  return run ?? null;
}

/** Makes the rules of a failed run due again. */
async function putBack(db: Database, { workspaceId, nextRunAt, dueAt }: Run): Promise<void> {
  await db
    .update(retentionRules)
    .set({ nextRunAt: sql`${dueAt}::timestamptz` })
    .where(and(eq(retentionRules.workspaceId, workspaceId), eq(retentionRules.nextRunAt, nextRunAt)));
}

async function applyRules(db: Database, run: Run, signal: AbortSignal): Promise<void> {
  const rules = await readRules(db, run.workspaceId);
  let left: number = LIMITS.retentionPerRun;
  for (const [at, rule] of rules.entries()) {
    const one = { workspaceId: run.workspaceId, rule, rules };
    // An equal share, so that a backlog of one rule doesn't stop the others. What a rule leaves is for the next ones.
    left -= await applyRule(db, run, one, Math.ceil(left / (rules.length - at)), signal);
  }
}

/**
 * Deletes what a rule decides about, page by page from where the last run stopped. At the end, the next run starts over,
 * because tags and holds change.
 * @returns the number of deleted meetings
 */
async function applyRule(
  db: Database,
  run: Run,
  one: RuleOf<StoredRule>,
  limit: number,
  signal: AbortSignal,
): Promise<number> {
  const { positionStart, positionId } = one.rule;
  let position: Position | null =
    positionStart === null || positionId === null ? null : { startTime: positionStart, id: positionId };
  let deleted = 0;
  for (let looked = 0; looked < PER_RUN && !signal.aborted; looked += PAGE) {
    const page = await readPage(db, one, position);
    const due = page.filter(({ isDue }) => isDue).map(({ id }) => id);
    for (let at = 0; at < due.length; at += BATCH) {
      // The page is not done: the next run reads it again.
      if (deleted >= limit || signal.aborted) return deleted;
      const ids = due.slice(at, at + Math.min(BATCH, limit - deleted));
      const found = await db.transaction((tx) => deleteSome(tx, run, one, ids));
      if (found === null) return deleted;
      deleted += found;
    }
    const last = page.length < PAGE ? null : page.at(-1);
    position = last ? { startTime: last.startTime, id: last.id } : null;
    await savePosition(db, run, one.rule, position);
    if (!position) break;
  }
  return deleted;
}

/** Reads the next meetings that are old enough for a rule, and whether it deletes them. */
const readPage = (db: Database, one: RuleOf, after: Position | null) =>
  db
    .select({
      id: sql<string>`a.id`,
      startTime: sql<string>`a.start_time::text`,
      isDue: sql<boolean>`${isDecidedBy(one, sql`a.id`)} and not ${isHeld(sql`a.id`)}`,
    })
    .from(sql`(${selectAged(one, { after, limit: PAGE })}) a`)
    .orderBy(sql`a.start_time, a.id`);

async function savePosition(
  db: Database,
  { nextRunAt }: Run,
  { id }: StoredRule,
  position: Position | null,
): Promise<void> {
  await db
    .update(retentionRules)
    .set({ positionStart: position?.startTime ?? null, positionId: position?.id ?? null })
    .where(and(eq(retentionRules.id, id), eq(retentionRules.nextRunAt, nextRunAt)));
}

/**
 * Deletes some meetings unless the rules have changed. Locks them first, so that the deleting statement sees every hold,
 * tag and move that was confirmed to somebody. Meetings locked by others wait for a later run.
 * @returns the number of meetings that it found; null if the rules have changed
 */
async function deleteSome(
  tx: Database,
  { workspaceId, nextRunAt }: Run,
  one: RuleOf,
  ids: readonly string[],
): Promise<number | null> {
  const rules = await tx
    .select({ nextRunAt: retentionRules.nextRunAt })
    .from(retentionRules)
    .where(eq(retentionRules.workspaceId, workspaceId))
    .for("share");
  if (rules.length === 0 || rules.some((rule) => rule.nextRunAt !== nextRunAt)) return null;
  const toList = (list: readonly string[]) => sql`any(${writeArray(list)}::text::text[])`;
  const found = await tx
    .select({ id: sql<string>`m.id` })
    .from(sql`${meetings} m`)
    .where(sql`m.id = ${toList(ids)} and ${isDue(one)}`)
    .orderBy(sql`m.start_time, m.id`)
    .for("update", { skipLocked: true });
  if (found.length === 0) return 0;
  const which = sql`m.id = ${toList(found.map(({ id }) => id))} and ${isDue(one)}`;
  await tx.execute(sql`
    with ${deleteWith(which, sql`${toActorName(SERVER)}`, "meeting.expire")}
    select ${notifyWorkers} where exists (select from notices)`);
  return found.length;
}

import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { meetings, searchChanges, searchDocuments, searchLearning } = schema;

/**
 * When a workspace is learnt anew after a change. Changes come in bursts, and learning costs the more, the more there is:
 * so it waits until a burst is over, and rests in proportion to what the last time took, less where words have
 * to be forgotten. Until then new meetings are found by their words.
 */
export const PACING = {
  /** Milliseconds without a change that end a burst, and after which one that doesn't end is not waited for. */
  quiet: 5_000,
  patience: 60_000,
  /** The rest after learning, in times of what it took: where meetings were added, and where some have left. */
  rest: 20,
  restGone: 4,
};
export type Pacing = typeof PACING;

/** How long a worker has without a sign of life before another takes over, and how often it gives one. */
const LEASE_SECONDS = 120;
const RENEWAL = 30_000;
/** Wait before what failed is tried again. */
const RETRY_SECONDS = 60;

/** Somebody else has taken over: what is being learnt is nobody's any more. */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** The right to learn one workspace, for as long as it is renewed. */
export interface Lease {
  readonly workspaceId: string;
  /** Also the generation of what is being learnt. */
  readonly attempt: number;
  /** Gives a sign of life where one is due. @throws LeaseLost */
  renew(): Promise<void>;
  /** Ends it without a result, for another to try: at once where this worker is only stopping. */
  release(stopping: boolean): Promise<void>;
}

/** True in a statement while the lease holds. */
export const stillLeased = ({ workspaceId, attempt }: Pick<Lease, "workspaceId" | "attempt">) =>
  sql`exists (select from ${searchLearning} where workspace_id = ${workspaceId}::text and attempt = ${attempt}::int)`;

/** Leases a workspace whose turn it is, and takes its changes away; null when it is nobody's turn. */
export async function claim(db: Database, pacing: Pacing): Promise<Lease | null> {
  const leased = await db.transaction(async (tx) => {
    const workspaceId = await due(tx, pacing);
    if (workspaceId === null) return null;
    const leasedUntil = sql`now() + ${LEASE_SECONDS} * interval '1 second'`;
    const [leased] = await tx
      .insert(searchLearning)
      .select(sql`select id, 0, 1, ${leasedUntil}, null, null from workspaces where id = ${workspaceId}`)
      .onConflictDoUpdate({
        target: searchLearning.workspaceId,
        set: { leasedUntil, attempt: sql`${searchLearning.attempt} + 1` },
        setWhere: sql`${searchLearning.leasedUntil} is null or ${searchLearning.leasedUntil} < now()`,
      })
      .returning({ workspaceId: searchLearning.workspaceId, attempt: searchLearning.attempt });
    // Those that were seen here: what is committed from now on will be learnt the next time. A workspace that is gone
    // has none to learn.
    await tx.execute(sql`delete from ${searchChanges} where workspace_id = ${workspaceId}
      and (${leased !== undefined} or not exists (select from workspaces where id = ${workspaceId}))`);
    return leased ?? null;
  });
  return leased && leaseOf(db, leased);
}

/** The workspace that has waited longest, those first that have words to forget or were cut short. */
async function due(tx: Database, { quiet, patience, rest, restGone }: Pacing): Promise<string | null> {
  const ago = (milliseconds: number) => sql`now() - ${milliseconds} * interval '1 millisecond'`;
  const [first] = await tx
    .select({ workspaceId: sql<string>`workspace_id` })
    .from(
      sql`(
        select c.workspace_id, c.gone, c.began
        from (
          select workspace_id, bool_or(gone) as gone, min(at) as began, max(at) as ended
          from ${searchChanges} group by workspace_id
        ) c
        left join ${searchLearning} l on l.workspace_id = c.workspace_id
        where l.leased_until is null
          and (c.ended <= ${ago(quiet)} or c.began <= ${ago(patience)})
          and (l.finished_at is null
            or l.finished_at <= now() - l.cost * case when c.gone then ${restGone}::int else ${rest}::int end * interval '1 millisecond')
        union all
        select workspace_id, true, leased_until from ${searchLearning} where leased_until < now()
      ) d`,
    )
    .orderBy(sql`gone desc, began`)
    .limit(1);
  return first?.workspaceId ?? null;
}

function leaseOf(db: Database, lease: { workspaceId: string; attempt: number }): Lease {
  const own = sql`${searchLearning.workspaceId} = ${lease.workspaceId} and ${searchLearning.attempt} = ${lease.attempt}`;
  const until = (seconds: number) =>
    db
      .update(searchLearning)
      .set({ leasedUntil: sql`now() + ${seconds} * interval '1 second'` })
      .where(own)
      .returning({ attempt: searchLearning.attempt });
  let renewed = performance.now();
  return {
    ...lease,
    renew: async () => {
      if (performance.now() - renewed < RENEWAL) return;
      renewed = performance.now();
      if ((await until(LEASE_SECONDS)).length === 0) throw new LeaseLost();
    },
    release: async (stopping) => {
      await until(stopping ? 0 : RETRY_SECONDS);
    },
  };
}

/**
 * Notes the workspaces with meetings that nothing was learnt from, such as those of a time in which search went by a
 * model or by words: what has happened meanwhile was not kept.
 */
export async function noteUnlearnt(db: Database): Promise<void> {
  await db.execute(sql`insert into ${searchChanges} (workspace_id, gone)
    select distinct m.workspace_id, true
    from ${searchDocuments} d join ${meetings} m on m.id = d.meeting_id
    where d.space is null or d.space not like 'learnt:%'`);
}

import { isClaimable, secondsFromNow } from "@minutes/background";
import { LIMITS, type TranscriptionFailureReason } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { recordFailureEvent } from "../../events/index.js";
import { type AudioStore, FILE_COLUMNS } from "./store.js";

const { transcriptions } = schema;

/** The job was canceled or deleted, or another worker has it. */
export class JobLost extends Error {
  override name = "JobLost";
}

export const leases = {
  table: transcriptions,
  key: transcriptions.id,
  until: transcriptions.dueAt,
  token: transcriptions.token,
};

export type Claimed = NonNullable<Awaited<ReturnType<typeof claimJob>>>;

export const toLease = ({ id, token }: Pick<Claimed, "id" | "token">) => ({ key: id, token });

const isHeld = ({ id, token }: Pick<Claimed, "id" | "token">): SQL | undefined =>
  and(eq(transcriptions.id, id), eq(transcriptions.token, token));

const { attempts, createdAt, dueAt, id, modifiedAt, name, state, token, uploader } = transcriptions;
const { startedAt, userId, workspaceId } = transcriptions;

/**
 * Selects recordings that can be transcribed now: none of an owner who has one in work.
 * @param longest the longest lease or delay, in seconds
 */
const isDue = (longest: number): SQL => sql`
  ${state} in ('queued', 'transcribing', 'storing') and ${isClaimable(dueAt, longest)}
  and not exists (select from ${transcriptions} o where o.user_id = ${userId} and o.id <> ${id}
    and o.state in ('transcribing', 'storing') and o.due_at > now())`;

/** Claims are made one after another, so that two processes don't serve one owner, whose recordings can be the same. */
export const claimJob = (db: Database, lease: number, longest: number) =>
  db.transaction(async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('transcriptions', 0))`);
    const served = sql`
      select user_id, max(started_at) as owner, max(max(started_at)) over (partition by workspace_id) as workspace
      from transcriptions group by workspace_id, user_id`;
    const next = sql`(
      select ${id} from ${transcriptions} join (${served}) served on served.user_id = ${userId}
      where ${isDue(longest)}
      order by served.workspace nulls first, served.owner nulls first, ${createdAt}, ${id}
      limit 1)`;
    const [claimed] = await tx
      .update(transcriptions)
      .set({
        ...{ state: "transcribing", token: sql`${token} + 1`, attempts: sql`${attempts} + 1` },
        ...{ startedAt: sql`now()`, dueAt: secondsFromNow(lease), updatedAt: sql`now()` },
      })
      .where(sql`${id} = ${next}`)
      .returning({
        ...FILE_COLUMNS,
        attempts,
        modifiedAt,
        name,
        startedAt,
        token,
        uploader,
        userId,
        workspaceId,
      });
    return claimed;
  });

/**
 * Records that a part of a recording was transcribed. Counts attempts from here, so that many kills or failures don't end a long
 * recording that gets on, and counts its owner as served.
 * @returns true if another owner's recording can be transcribed now
 * @throws JobLost
 */
export async function advance(
  db: Database,
  claimed: Claimed,
  { heard, parts, longest }: { readonly heard: number; readonly parts: number; readonly longest: number },
): Promise<boolean> {
  const held = await db
    .update(transcriptions)
    .set({
      ...{ attempts: 1, parts, partsHeard: sql`greatest(${transcriptions.partsHeard}, ${heard}::int)` },
      ...{ startedAt: sql`now()`, updatedAt: sql`now()` },
    })
    .where(isHeld(claimed))
    .returning({ id });
  if (held.length === 0) throw new JobLost();
  claimed.attempts = 1;
  const [other] = await db
    .select({ id })
    .from(transcriptions)
    .where(and(isDue(longest), sql`${userId} <> ${claimed.userId}`))
    .limit(1);
  return other !== undefined;
}

/** Records how much converted audio lies beside a recording. @throws JobLost */
export async function recordConverted(db: Database, claimed: Claimed, converted: number): Promise<void> {
  const held = await db
    .update(transcriptions)
    .set({ converted, updatedAt: sql`now()` })
    .where(isHeld(claimed))
    .returning({ id });
  if (held.length === 0) throw new JobLost();
}

/** Begins to store the meeting, after which the job can't be canceled. @throws JobLost */
export async function beginStoring(db: Database, claimed: Claimed): Promise<void> {
  const held = await db
    .update(transcriptions)
    .set({ state: "storing", updatedAt: sql`now()` })
    .where(isHeld(claimed))
    .returning({ id });
  if (held.length === 0) throw new JobLost();
}

/** Lets the job wait for its next attempt or turn. */
export const postpone = async (
  db: Database,
  claimed: Claimed,
  { attempts, delay }: { readonly attempts: number; readonly delay: number },
): Promise<void> => {
  await db
    .update(transcriptions)
    .set({ state: "queued", attempts, dueAt: secondsFromNow(delay), updatedAt: sql`now()` })
    .where(isHeld(claimed));
};

/** Deletes the audio and the file's name, which the meeting has. */
export const complete = (store: AudioStore, claimed: Claimed, meetingId: string): Promise<void> =>
  end(store, claimed, { state: "completed", meetingId, name: null });

export const fail = (
  store: AudioStore,
  claimed: Claimed,
  failure: TranscriptionFailureReason,
): Promise<void> => end(store, claimed, { state: "failed", failure });

/** Deletes the key, then the file, which nobody can read anymore. The row stays for a week, to tell what became of it. */
async function end(
  { db, files }: AudioStore,
  claimed: Claimed,
  result: Partial<typeof transcriptions.$inferInsert>,
): Promise<void> {
  const hasEnded = await db.transaction(async (tx) => {
    const ended = await tx
      .update(transcriptions)
      .set({
        ...{ ...result, fileKey: null, dueAt: null, parts: null, updatedAt: sql`now()` },
        expiresAt: secondsFromNow(LIMITS.audioJobSeconds),
      })
      .where(isHeld(claimed))
      .returning({ id });
    if (ended.length > 0 && result.state === "failed")
      await recordFailureEvent(tx, { id: claimed.id, externalId: null, userId: claimed.userId });
    return ended.length > 0;
  });
  if (hasEnded) await files.remove(claimed.id);
}

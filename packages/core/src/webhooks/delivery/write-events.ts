import { type Database, runNamedStatement, schema, writeArray } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { initialState, isEventRecipient } from "../../events/index.js";
import { fromMeetings } from "../../meetings/index.js";
import { payloadData, toTasksData } from "./payload.js";

const { deliveries, meetings, webhookEvents, webhooks, workspaces } = schema;

/** Time in ms during which further changes of a meeting join an event. */
const BURST = 1_000;
/** Maximum events written per transaction: their payloads can be large. */
const BATCH = 20;
/** Maximum failed events before the others wait for the next round, and the delay in ms until then. */
const FAILURES = 20;
const FAULT_PAUSE = 1_000;

/**
 * Writes the payloads of events whose second has passed, and creates their deliveries. An event that can't be written,
 * for example because its transcript is on an unavailable server, is reported and retried later; the others are
 * written.
 * @returns ms until the next event is due; null if none is pending
 * @throws Error if the database is unavailable
 * @see docs/decisions/0166-further-events.md
 */
export async function writeDueEvents(
  db: Database,
  onFault: (error: unknown) => void,
): Promise<number | null> {
  const failed: string[] = [];
  let limit = BATCH;
  while (failed.length < FAILURES) {
    const [row] = await runNamedStatement<{ milliseconds: number | null }>(
      db,
      "next_event",
      () => sql`select extract(epoch from min(created_at) - clock_timestamp())::float8 * 1000 as milliseconds
        from ${webhookEvents} where data is null and id <> all (${sql.placeholder("failed")}::text::bigint[])`,
      { failed: writeArray(failed) },
    );
    if (row?.milliseconds == null) return failed.length > 0 ? FAULT_PAUSE : null;
    const pause = row.milliseconds + BURST;
    if (pause > 0) return failed.length > 0 ? Math.min(pause, FAULT_PAUSE) : pause;
    const batch: string[] = [];
    try {
      // All are locked by open transactions, which wake the worker when they commit.
      if ((await writeSome(db, limit, failed, batch)) === 0) return BURST / 10;
    } catch (error) {
      if (batch.length === 0) throw error;
      // One at a time from here, to find the one that failed.
      if (batch.length > 1) limit = 1;
      else {
        onFault(error);
        failed.push(...batch);
      }
    }
  }
  return FAULT_PAUSE;
}

/**
 * Writes some events in a transaction.
 * @param failed ids of events to skip
 * @param batch receives the ids of the events before they are written
 * @returns the number of written events
 */
const writeSome = (
  db: Database,
  limit: number,
  failed: readonly string[],
  batch: string[],
): Promise<number> =>
  db.transaction(async (tx) => {
    const locked = await tx
      .select({
        id: sql<string>`${webhookEvents.id}::text`,
        lockedAt: sql<string>`clock_timestamp()::text`,
      })
      .from(webhookEvents)
      .where(sql`data is null and created_at <= now() - make_interval(secs => ${BURST / 1000}::float8)
        and id <> all (${writeArray(failed)}::text::bigint[])`)
      .orderBy(webhookEvents.createdAt)
      .limit(limit)
      .for("update", { skipLocked: true });
    if (locked.length === 0) return 0;
    batch.push(...locked.map(({ id }) => id));
    const ids = sql`any (${writeArray(batch)}::text::bigint[])`;
    await writePayloads(tx, ids, locked[0]?.lockedAt ?? "");
    await tx.execute(sql`delete from ${webhookEvents} v where v.id = ${ids}
      and not exists (select from ${deliveries} d where d.event_id = v.id)`);
    return batch.length;
  });

const currentData = sql`case v.event
          when 'task.updated' then ${toTasksData(sql`v.subjects`)} else ${payloadData} end`;

/** Rewrites the stored payloads about a meeting to its current state. Part of the caller's transaction. */
export async function rewritePayloads(tx: Database, meetingId: string): Promise<void> {
  await tx.execute(sql`update ${webhookEvents} v set data = ${currentData}
    from ${fromMeetings()} where v.meeting_id = ${meetingId} and m.id = v.meeting_id and v.data is not null`);
}

/**
 * Writes payloads and deliveries. A separate statement after the lock, because only a new one sees everything that the
 * event's changes have committed.
 * @param lockedAt the time of the deliveries' ids: before the payloads are read, so that one with an older state, which
 * took longer to write, doesn't sort after a newer one
 */
const writePayloads = (tx: Database, ids: SQL, lockedAt: string) =>
  tx.execute(sql`with written as (
      update ${webhookEvents} v set data = ${currentData}
      from ${fromMeetings()} where v.id = ${ids} and m.id = v.meeting_id
      returning v.id, v.meeting_id, v.event, v.subjects
    )
    insert into ${deliveries} (id, webhook_id, event_id, meeting_id, event, state)
    select ${schema.toDeliveryId(sql`${lockedAt}::timestamptz`)}, w.id, v.id, v.meeting_id, v.event, ${initialState} from written v
      join ${meetings} m on m.id = v.meeting_id join ${workspaces} p on p.id = m.workspace_id
      join ${webhooks} w on v.event = any(w.events) and ${isEventRecipient(sql`v.event`, sql`v.subjects`)}
    order by v.id`);

import { type Database, execute, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { firstState, isEventRecipient } from "../../events/index.js";
import { fromMeetings } from "../../meetings/index.js";
import { payloadData, toTasksData } from "./payload.js";

const { deliveries, meetings, webhookEvents, webhooks, workspaces } = schema;

/** Milliseconds in which further changes of a meeting join an event. */
const BURST = 1_000;
/** Events that one transaction writes: their payloads can be large. */
const BATCH = 20;

/**
 * Writes the payloads of events whose second is over, and creates their deliveries.
 * @returns milliseconds until the next event is due; null when none is waiting.
 * @see docs/decisions/0166-events-after-completion.md
 */
export async function writeDueEvents(db: Database): Promise<number | null> {
  for (;;) {
    const [row] = await execute<{ milliseconds: number | null }>(
      db,
      "next_event",
      () => sql`select extract(epoch from min(created_at) - clock_timestamp())::float8 * 1000 as milliseconds
        from ${webhookEvents} where data is null`,
      {},
    );
    if (row?.milliseconds == null) return null;
    const pause = row.milliseconds + BURST;
    // None was free: a transaction that is still open holds them, and wakes the worker when it commits.
    if (pause > 0 || (await writeSome(db)) === 0) return Math.max(pause, BURST / 10);
  }
}

/** Writes some events in a transaction. @returns how many. */
const writeSome = (db: Database): Promise<number> =>
  db.transaction(async (tx) => {
    const locked = await tx
      .select({ id: sql<string>`${webhookEvents.id}::text` })
      .from(webhookEvents)
      .where(sql`data is null and created_at <= now() - make_interval(secs => ${BURST / 1000}::float8)`)
      .orderBy(webhookEvents.createdAt)
      .limit(BATCH)
      .for("update", { skipLocked: true });
    if (locked.length === 0) return 0;
    const ids = sql`(${sql.join(
      locked.map(({ id }) => sql`${id}::bigint`),
      sql`, `,
    )})`;
    await writePayloads(tx, ids);
    await tx.execute(sql`delete from ${webhookEvents} v where v.id in ${ids}
      and not exists (select from ${deliveries} d where d.event_id = v.id)`);
    return locked.length;
  });

const currentData = sql`case v.event
          when 'task.updated' then ${toTasksData(sql`v.subjects`)} else ${payloadData} end`;

/** Writes the payloads about a meeting that are kept again, as the meeting is now. Part of the caller's transaction. */
export async function rewritePayloads(tx: Database, meetingId: string): Promise<void> {
  await tx.execute(sql`update ${webhookEvents} v set data = ${currentData}
    from ${fromMeetings()} where v.meeting_id = ${meetingId} and m.id = v.meeting_id and v.data is not null`);
}

/**
 * Writes payloads and deliveries. A statement of its own after the lock, because only a new one sees everything that
 * the changes of the event have committed.
 */
const writePayloads = (tx: Database, ids: SQL) =>
  tx.execute(sql`with written as (
      update ${webhookEvents} v set data = ${currentData}
      from ${fromMeetings()} where v.id in ${ids} and m.id = v.meeting_id
      returning v.id, v.meeting_id, v.event, v.subjects
    )
    insert into ${deliveries} (webhook_id, event_id, meeting_id, event, state)
    select w.id, v.id, v.meeting_id, v.event, ${firstState} from written v
      join ${meetings} m on m.id = v.meeting_id join ${workspaces} p on p.id = m.workspace_id
      join ${webhooks} w on v.event = any(w.events) and ${isEventRecipient(sql`v.event`, sql`v.subjects`)}
    order by v.id`);

import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { deliveries, webhooks } = schema;

/** Condition for deliveries waiting for their turn, the same as that of the index `deliveries_held`. */
const isHeld = sql`d.state = 'held'`;

/**
 * Releases the oldest held delivery of each webhook that is not paused and has no other delivery in progress, so a
 * webhook catches up in order, one at a time. Reads one index entry per webhook with held deliveries.
 * @see docs/decisions/0040-delivery-queue.md
 */
export async function releaseHeldDeliveries(db: Database): Promise<void> {
  await runNamedStatement(
    db,
    "release_held",
    () => sql`
      with recursive catching_up(webhook_id) as (
        (select d.webhook_id from ${deliveries} d where ${isHeld} order by d.webhook_id limit 1)
        union all
        select (select d.webhook_id from ${deliveries} d where ${isHeld} and d.webhook_id > c.webhook_id order by d.webhook_id limit 1)
        from catching_up c where c.webhook_id is not null
      )
      update ${deliveries} d set state = 'pending', due_at = now(), round = 0, finished_at = null
      where ${isHeld} and d.id in (
        select (select q.id from ${deliveries} q
          where q.webhook_id = w.id and q.state = 'held' and q.event_id is not null order by q.id limit 1)
        from catching_up c join ${webhooks} w on w.id = c.webhook_id
        where w.paused_at is null and w.disabled_at is null and w.deleted_at is null and not exists (
          select from ${deliveries} q where q.webhook_id = w.id and q.state = 'pending' and q.event_id is not null))
      returning d.id`,
    {},
  );
}

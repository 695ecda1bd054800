import { setTimeout as sleep } from "node:timers/promises";
import { BatchQueue } from "@minutes/background";
import type { Database } from "@minutes/db";
import { runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { PausePolicy } from "./backoff.js";
import type { AttemptOutcome } from "./send.js";

const { attempts, deliveries, webhooks } = schema;

/** The result of an attempt, and when to retry. */
export interface AttemptResult extends AttemptOutcome {
  /** The delivery's id. */
  readonly id: string;
  /** The fencing token of the claim. */
  readonly claims: number;
  /** Delay until the next attempt in seconds; null: this was the last one. */
  readonly nextAttemptIn: number | null;
}

/** A delivery and its webhook. */
export interface DeliveryReference {
  readonly deliveryId: string;
  readonly webhookId: string;
}

/** An attempt after which somebody must be notified. */
export interface AttemptToReport extends DeliveryReference {
  /** True if the delivery has used up its attempts. */
  readonly deliveryFailed: boolean;
  /** True if the webhook must be paused. */
  readonly pauseWebhook: boolean;
}

/**
 * Records attempts and the new states of their deliveries. Attempts are counted only here, so a worker that dies
 * earlier uses up none. A result without the latest fencing token is dropped, because another worker has the delivery.
 * An attempt that was in flight when its delivery was skipped or canceled is recorded, and its success counts. Counts a
 * webhook's consecutive failures; a success resets them.
 * @returns the attempts that were the last of their delivery, or after which their webhook must be paused
 */
export async function recordAttempts(
  db: Database,
  results: readonly AttemptResult[],
  pause: PausePolicy,
): Promise<AttemptToReport[]> {
  return runNamedStatement<AttemptToReport>(
    db,
    "record_attempts",
    () => sql`
      with r as materialized (
        select * from json_to_recordset(${sql.placeholder("results")}::text::json)
          as r(id bigint, claims int, status int, error text, milliseconds int, "nextAttemptIn" float8)
      ), outcome as materialized (
        select d.webhook_id, bool_or(r.error is null) as succeeded from r join ${deliveries} d on d.id = r.id and d.claims = r.claims
        group by d.webhook_id
      ), locked as materialized (
        -- Before the deliveries, as changes of a webhook do, and only where the count changes.
        select w.id from ${webhooks} w join outcome o on o.webhook_id = w.id
        where w.paused_at is null and (w.failures > 0 or not o.succeeded) order by w.id for no key update of w
      ), updated as (
        update ${deliveries} d set
          attempts = d.attempts + 1,
          round = d.round + 1,
          -- Ends the lease: a renewal that comes late doesn't move the next attempt.
          claims = d.claims + 1,
          state = case when r.error is null then 'delivered'
            when d.state = 'pending' and r."nextAttemptIn" is null then 'failed' else d.state end,
          due_at = case when d.state = 'pending' and r."nextAttemptIn" is not null
            then now() + make_interval(secs => r."nextAttemptIn") else d.due_at end,
          finished_at = case when r.error is not null and (d.state = 'held' or d.state = 'pending' and r."nextAttemptIn" is not null)
            then null else coalesce(d.finished_at, now()) end
        from r where d.id = r.id and d.claims = r.claims and (select count(*) from locked) >= 0
        returning d.id, d.webhook_id, d.attempts, d.state, r.status, r.error, r.milliseconds
      ), recorded as (
        insert into ${attempts} (delivery_id, number, started_at, milliseconds, status, error)
        select id, attempts, now() - milliseconds * interval '1 millisecond', milliseconds, status, error from updated
      ), counted as (
        update ${webhooks} w set
          failures = case when u.succeeded then 0 else w.failures + u.failed end,
          failing_since = case when u.succeeded then null else coalesce(w.failing_since, now()) end
        from (select webhook_id, bool_or(error is null) as succeeded, count(*)::int as failed from updated group by webhook_id) u
        where w.id = u.webhook_id and w.id in (select id from locked)
        returning w.id, w.failures >= ${sql.placeholder("failures")}::int
          and w.failing_since <= now() - make_interval(secs => ${sql.placeholder("seconds")}::float8) as exhausted
      )
      select u.id::text as "deliveryId", u.webhook_id as "webhookId",
        u.state = 'failed' and u.error is not null as "deliveryFailed", coalesce(c.exhausted, false) as "pauseWebhook"
      from updated u left join counted c on c.id = u.webhook_id
      where u.state = 'failed' and u.error is not null or c.exhausted`,
    { results: JSON.stringify(results), failures: pause.failures, seconds: pause.hours * 3600 },
  );
}

/** Delay in ms before retrying while the database is unavailable. */
const FAULT_PAUSE = 500;

/** Records results of attempts in batches. */
export class Recorder {
  readonly #queue: BatchQueue<AttemptResult, AttemptToReport | undefined>;
  #abandoned = false;

  constructor(db: Database, pause: PausePolicy, onFault: (error: unknown) => void) {
    this.#queue = new BatchQueue(async (results) => {
      for (;;) {
        try {
          const reported = await recordAttempts(db, results, pause);
          return results.map(({ id }) => reported.find(({ deliveryId }) => deliveryId === id));
        } catch (error) {
          if (this.#abandoned) throw error;
          onFault(error);
          await sleep(FAULT_PAUSE);
        }
      }
    });
  }

  /**
   * Records a result, retrying while the database is unavailable.
   * @returns the attempt, if somebody must be notified
   */
  record(result: AttemptResult): Promise<AttemptToReport | undefined> {
    return this.#queue.add(result);
  }

  /** Stops retrying: results that can't be recorded are rejected from now on. */
  abandon(): void {
    this.#abandoned = true;
  }
}

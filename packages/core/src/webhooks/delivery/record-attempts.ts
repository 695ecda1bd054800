import { type Database, execute, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { AttemptOutcome } from "./send.js";

const { attempts, deliveries } = schema;

/** What came of an attempt, and when to try again. */
export interface AttemptResult extends AttemptOutcome {
  /** The delivery. */
  readonly id: string;
  /** The fencing token of the claim. */
  readonly claims: number;
  /** Seconds until the next attempt; null: this was the last one. */
  readonly retryAfter: number | null;
}

/** A delivery that has used up its attempts. */
export interface FailedDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
}

/**
 * Records attempts and the new states of their deliveries. Attempts are counted here alone: a worker that dies before
 * uses up none. A result without the latest fencing token is dropped, since another worker has the delivery. An attempt
 * that was under way when its delivery was skipped or canceled is recorded, and its success counts.
 * @returns the deliveries that failed for good.
 */
export async function recordAttempts(
  db: Database,
  results: readonly AttemptResult[],
): Promise<FailedDelivery[]> {
  return execute<FailedDelivery>(
    db,
    "record_attempts",
    () => sql`
      with r as materialized (
        select * from json_to_recordset(${sql.placeholder("results")}::text::json)
          as r(id bigint, claims int, status int, error text, milliseconds int, "retryAfter" float8)
      ), updated as (
        update ${deliveries} d set
          attempts = d.attempts + 1,
          round = d.round + 1,
          state = case when r.error is null then 'delivered'
            when d.state = 'pending' and r."retryAfter" is null then 'failed' else d.state end,
          due_at = case when d.state = 'pending' and r."retryAfter" is not null
            then now() + make_interval(secs => r."retryAfter") else d.due_at end,
          finished_at = case when d.state = 'pending' and r.error is not null and r."retryAfter" is not null then null
            else coalesce(d.finished_at, now()) end
        from r where d.id = r.id and d.claims = r.claims
        returning d.id, d.webhook_id, d.attempts, d.state, r.status, r.error, r.milliseconds
      ), recorded as (
        insert into ${attempts} (delivery_id, number, started_at, milliseconds, status, error)
        select id, attempts, now() - milliseconds * interval '1 millisecond', milliseconds, status, error from updated
      )
      select id::text as "deliveryId", webhook_id as "webhookId" from updated where state = 'failed' and error is not null`,
    { results: JSON.stringify(results) },
  );
}

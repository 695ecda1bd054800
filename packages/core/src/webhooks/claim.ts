import type { WebhookMethod } from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { receives } from "./recipients.js";
import type { Outcome } from "./send.js";

const { attempts, deliveries, meetings, webhookEvents, webhooks, workspaces } = schema;

/** A delivery that this worker holds, with what an attempt needs. */
export interface Claim {
  readonly id: string;
  /** The fencing token: results count only while it is the latest. */
  readonly claims: number;
  readonly webhookId: string;
  /** Attempts since it was last sent by hand, before this one. */
  readonly round: number;
  /** Unix seconds. */
  readonly created: number;
  readonly url: string;
  readonly method: WebhookMethod;
  readonly headerName: string | null;
  readonly secretKeyId: string;
  readonly secret: Uint8Array;
  readonly data: string;
}

/** What one claim may take. */
export interface Room {
  readonly slots: number;
  /** Of content; the last one that begins within it may be longer. */
  readonly bytes: number;
  readonly perWebhook: number;
  /** Deliveries of this worker under way, by webhook. */
  readonly busy: Readonly<Record<string, number>>;
}

/** What holds for every delivery that waits: the condition of the index `deliveries_to_claim`. */
const waits = (alias: string) => {
  const d = sql.raw(alias);
  return sql`${d}.state = 'pending' and ${d}.event_id is not null`;
};

/** Webhooks that something waits for: one look into the index for each, however much waits for it. */
const waiting = sql`waiting(webhook_id) as (
  (select d.webhook_id from ${deliveries} d where ${waits("d")} order by d.webhook_id limit 1)
  union all
  select (select d.webhook_id from ${deliveries} d where ${waits("d")} and d.webhook_id > w.webhook_id order by d.webhook_id limit 1)
  from waiting w where w.webhook_id is not null)`;

const busy = sql`busy as (select key as webhook_id, value::int as number from json_each_text(${sql.placeholder("busy")}::text::json))`;
const perWebhook = sql`${sql.placeholder("perWebhook")}::int`;

/**
 * Takes what is due, the longest waiting first, but no more of one webhook than its share: a receiver that hangs
 * fills its own share and nobody else's. A delivery whose webhook may not have it any more is skipped on the way.
 */
const claimDue = () => sql`
  with recursive ${waiting}, ${busy}, due as (
    select id from (
      select d.id, sum(octet_length(e.data)) over (
        order by d.due_at, d.id rows between unbounded preceding and 1 preceding) as before
      from (
        select d.id, d.due_at, d.event_id from waiting w left join busy b using (webhook_id)
        cross join lateral (
          select d.id, d.due_at, d.event_id from ${deliveries} d
          where ${waits("d")} and d.webhook_id = w.webhook_id and d.due_at <= now()
          order by d.due_at, d.id limit greatest(${perWebhook} - coalesce(b.number, 0), 0)) d
        order by d.due_at, d.id limit ${sql.placeholder("slots")}::int
      ) d join ${webhookEvents} e on e.id = d.event_id
    ) d where coalesce(before, 0) < ${sql.placeholder("bytes")}::bigint
  ), held as (
    select d.id, e.data, w.url, w.method, w.header_name, w.secret_key_id, w.secret,
      case when e.meeting_id is null then w.disabled_at is null and w.deleted_at is null
        else exists (select from ${meetings} m join ${workspaces} p on p.id = m.workspace_id
          where m.id = e.meeting_id and ${receives}) end as wanted
    from ${deliveries} d join ${webhooks} w on w.id = d.webhook_id join ${webhookEvents} e on e.id = d.event_id
    where d.id in (select id from due) and ${waits("d")} and d.due_at <= now()
    for update of d skip locked
  ), skipped as (
    update ${deliveries} d set state = 'skipped', finished_at = now() from held h where d.id = h.id and not h.wanted
  )
  update ${deliveries} d set claims = d.claims + 1, due_at = now() + make_interval(secs => ${sql.placeholder("lease")}::float8)
  from held h where d.id = h.id and h.wanted
  returning d.id::text, d.claims, d.webhook_id as "webhookId", d.round, extract(epoch from d.created_at)::float8 as created,
    h.url, h.method, h.header_name as "headerName", h.secret_key_id as "secretKeyId", h.secret, h.data`;

/** Claims deliveries for `lease` seconds. */
export async function claimDeliveries(db: Database, room: Room, lease: number): Promise<Claim[]> {
  const rows = await execute<Claim>(db, "claim_deliveries", claimDue, {
    ...room,
    busy: JSON.stringify(room.busy),
    lease,
  });
  return rows.map((row) => ({ ...row, created: Math.floor(row.created) }));
}

/** Milliseconds until something is due for a webhook that has room, negative when it is; null when nothing waits. */
export async function untilDue(db: Database, room: Room): Promise<number | null> {
  const [row] = await execute<{ milliseconds: number | null }>(
    db,
    "next_due_delivery",
    () => sql`
      with recursive ${waiting}, ${busy}
      select extract(epoch from min(d.due_at) - clock_timestamp())::float8 * 1000 as milliseconds
      from waiting w left join busy b using (webhook_id)
      cross join lateral (
        select d.due_at from ${deliveries} d where ${waits("d")} and d.webhook_id = w.webhook_id
        order by d.due_at limit 1) d
      where coalesce(b.number, 0) < ${perWebhook}`,
    { perWebhook: room.perWebhook, busy: JSON.stringify(room.busy) },
  );
  return row?.milliseconds ?? null;
}

type Held = Pick<Claim, "id" | "claims">;

const heldRows = (columns: string) =>
  sql`json_to_recordset(${sql.placeholder("held")}::text::json) as h(id bigint, claims int${sql.raw(columns)})`;
const heldJson = (held: readonly Held[]) => JSON.stringify(held.map(({ id, claims }) => ({ id, claims })));

/** Prolongs leases, so that a worker that lives keeps what it is sending; 0 gives them back. */
export async function extendLeases(db: Database, held: readonly Held[], lease: number): Promise<void> {
  await execute(
    db,
    "extend_leases",
    () => sql`update ${deliveries} d set due_at = now() + make_interval(secs => ${sql.placeholder("lease")}::float8)
      from ${heldRows("")} where d.id = h.id and d.claims = h.claims and d.state = 'pending'`,
    { held: heldJson(held), lease },
  );
}

/** What came of an attempt, and when to try again. */
export interface Result extends Held, Outcome {
  /** Seconds; null: that was the last attempt. */
  readonly retryAfter: number | null;
}

/** A delivery that has used up its attempts. */
export interface FailedDelivery {
  readonly deliveryId: string;
  readonly webhookId: string;
}

/**
 * Records attempts and where their deliveries stand then. Only here is an attempt counted: a worker that dies
 * before has used up none. A result whose claim is not the latest is dropped, since another worker has the delivery.
 * An attempt that was under way when its delivery was skipped or canceled is recorded, and a success still counts.
 * @returns the deliveries that failed by it for good.
 */
export async function settle(db: Database, results: readonly Result[]): Promise<FailedDelivery[]> {
  return execute<FailedDelivery>(
    db,
    "settle_attempts",
    () => sql`
      with h as materialized (
        select * from ${heldRows(', status int, error text, milliseconds int, "retryAfter" float8')}
      ), settled as (
        update ${deliveries} d set
          attempts = d.attempts + 1,
          round = d.round + 1,
          state = case when h.error is null then 'delivered'
            when d.state = 'pending' and h."retryAfter" is null then 'failed' else d.state end,
          due_at = case when d.state = 'pending' and h."retryAfter" is not null
            then now() + make_interval(secs => h."retryAfter") else d.due_at end,
          finished_at = case when d.state = 'pending' and h.error is not null and h."retryAfter" is not null then null
            else coalesce(d.finished_at, now()) end
        from h where d.id = h.id and d.claims = h.claims
        returning d.id, d.webhook_id, d.attempts, d.state, h.status, h.error, h.milliseconds
      ), recorded as (
        insert into ${attempts} (delivery_id, number, started_at, milliseconds, status, error)
        select id, attempts, now() - milliseconds * interval '1 millisecond', milliseconds, status, error from settled
      )
      select id::text as "deliveryId", webhook_id as "webhookId" from settled where state = 'failed' and error is not null`,
    { held: JSON.stringify(results) },
  );
}

import { extendLeases, type LeaseColumns } from "@minutes/background";
import type { WebhookEventName, WebhookFormat, WebhookMethod } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { isEventRecipient } from "../../events/index.js";
import type { EncryptedSecret } from "../../lib/keyring.js";

const { deliveries, meetings, webhookEvents, webhookOldSecrets, webhooks, workspaces } = schema;

/** A leased delivery with everything needed for an attempt. */
export interface ClaimedDelivery {
  readonly id: string;
  /** The fencing token: a result is dropped unless it has the latest one. */
  readonly claims: number;
  readonly webhookId: string;
  /** Number of earlier attempts since the delivery was last redelivered by hand. */
  readonly attemptsSinceRedelivery: number;
  readonly event: WebhookEventName;
  /** Unix seconds. */
  readonly created: number;
  readonly url: string;
  readonly method: WebhookMethod;
  readonly headerName: string | null;
  readonly headerPrefix: string | null;
  readonly format: WebhookFormat;
  readonly secretKeyId: string;
  readonly secret: Uint8Array;
  /** Replaced secrets that are still valid, latest first. */
  readonly oldSecrets: readonly EncryptedSecret[];
  readonly data: string;
  /** True if deliveries of the webhook are waiting for their turn. */
  readonly catchingUp: boolean;
}

/** Limits of one claim. */
export interface ClaimLimits {
  readonly deliveries: number;
  /** Maximum bytes of content. The last delivery can exceed it. */
  readonly bytes: number;
  /** Maximum concurrent deliveries of this worker per webhook. */
  readonly perWebhook: number;
  /** Deliveries being sent by this worker, by webhook id. */
  readonly sending: Readonly<Record<string, number>>;
}

/** Returns true for pending deliveries with content: the condition of the index `deliveries_to_claim`. */
const isPending = (alias: string) => {
  const d = sql.raw(alias);
  return sql`${d}.state = 'pending' and ${d}.event_id is not null`;
};

/** Webhooks with pending deliveries. Reads one index entry per webhook, however many deliveries it has. */
const webhooksWithWork = sql`webhooks_with_work(webhook_id) as (
  (select d.webhook_id from ${deliveries} d where ${isPending("d")} order by d.webhook_id limit 1)
  union all
  select (select d.webhook_id from ${deliveries} d where ${isPending("d")} and d.webhook_id > w.webhook_id order by d.webhook_id limit 1)
  from webhooks_with_work w where w.webhook_id is not null)`;

const sending = sql`sending as (select key as webhook_id, value::int as number from json_each_text(${sql.placeholder("sending")}::text::json))`;
const perWebhook = sql`${sql.placeholder("perWebhook")}::int`;

/**
 * Claims due deliveries, longest waiting first. Each webhook is limited to its share, so a hanging receiver does not
 * delay others. Deliveries whose webhook can no longer receive the meeting become `skipped`. Deliveries of a paused
 * webhook become `held`, except test deliveries.
 */
const claimStatement = () => sql`
  with recursive ${webhooksWithWork}, ${sending}, due as (
    select id from (
      select d.id, sum(octet_length(e.data)) over (
        order by d.due_at, d.id rows between unbounded preceding and 1 preceding) as before
      from (
        select d.id, d.due_at, d.event_id from webhooks_with_work w left join sending b using (webhook_id)
        cross join lateral (
          select d.id, d.due_at, d.event_id from ${deliveries} d
          where ${isPending("d")} and d.webhook_id = w.webhook_id and d.due_at <= now()
          order by d.due_at, d.id limit greatest(${perWebhook} - coalesce(b.number, 0), 0)) d
        order by d.due_at, d.id limit ${sql.placeholder("deliveries")}::int
      ) d join ${webhookEvents} e on e.id = d.event_id
    ) d where coalesce(before, 0) < ${sql.placeholder("bytes")}::bigint
  ), locked as (
    select d.id, e.data, w.paused_at is not null and d.meeting_id is not null as held, w.url, w.method, w.header_name, w.header_prefix, w.format, w.secret_key_id, w.secret,
      (select json_agg(json_build_object('secretKeyId', s.secret_key_id, 'secret', encode(s.secret, 'hex')) order by s.id desc)
        from ${webhookOldSecrets} s where s.webhook_id = w.id and s.expires_at > now())::text as old_secrets,
      case when e.meeting_id is null then w.disabled_at is null and w.deleted_at is null
        else exists (select from ${meetings} m join ${workspaces} p on p.id = m.workspace_id
          where m.id = e.meeting_id and ${isEventRecipient(sql`e.event`, sql`e.subjects`)}) end as permitted
    from ${deliveries} d join ${webhooks} w on w.id = d.webhook_id join ${webhookEvents} e on e.id = d.event_id
    where d.id in (select id from due) and ${isPending("d")} and d.due_at <= now()
    for update of d skip locked
  ), skipped as (
    update ${deliveries} d set state = 'skipped', finished_at = now() from locked h where d.id = h.id and not h.permitted
  ), held as (
    update ${deliveries} d set state = 'held' from locked h where d.id = h.id and h.permitted and h.held
  )
  update ${deliveries} d set claims = d.claims + 1, due_at = now() + make_interval(secs => ${sql.placeholder("lease")}::float8)
  from locked h where d.id = h.id and h.permitted and not h.held
  returning d.id::text, d.claims, d.webhook_id as "webhookId", d.event, d.round as "attemptsSinceRedelivery", extract(epoch from d.created_at)::float8 as created,
    h.url, h.method, h.header_name as "headerName", h.header_prefix as "headerPrefix", h.format, h.old_secrets as "oldSecrets", h.secret_key_id as "secretKeyId", h.secret, h.data,
    exists (select from ${deliveries} q where q.webhook_id = d.webhook_id and q.state = 'held') as "catchingUp"`;

/** Claims due deliveries for `lease` seconds. */
export async function claimDeliveries(
  db: Database,
  limits: ClaimLimits,
  lease: number,
): Promise<ClaimedDelivery[]> {
  const rows = await runNamedStatement<Omit<ClaimedDelivery, "oldSecrets"> & { oldSecrets: string | null }>(
    db,
    "claim_deliveries",
    claimStatement,
    {
      ...limits,
      sending: JSON.stringify(limits.sending),
      lease,
    },
  );
  return rows.map((row) => ({
    ...row,
    created: Math.floor(row.created),
    oldSecrets: parseOldSecrets(row.oldSecrets),
  }));
}

const parseOldSecrets = (json: string | null): EncryptedSecret[] =>
  ((JSON.parse(json ?? "[]") ?? []) as { secretKeyId: string; secret: string }[]).map(
    ({ secretKeyId, secret }) => ({ secretKeyId, secret: Buffer.from(secret, "hex") }),
  );

/**
 * Returns the ms until a delivery is due for a webhook with free share. Negative: already due. Null: none is pending.
 */
export async function getMillisecondsUntilDue(db: Database, limits: ClaimLimits): Promise<number | null> {
  const [row] = await runNamedStatement<{ milliseconds: number | null }>(
    db,
    "next_due_delivery",
    () => sql`
      with recursive ${webhooksWithWork}, ${sending}
      select extract(epoch from min(d.due_at) - clock_timestamp())::float8 * 1000 as milliseconds
      from webhooks_with_work w left join sending b using (webhook_id)
      cross join lateral (
        select d.due_at from ${deliveries} d where ${isPending("d")} and d.webhook_id = w.webhook_id
        order by d.due_at limit 1) d
      where coalesce(b.number, 0) < ${perWebhook}`,
    { perWebhook: limits.perWebhook, sending: JSON.stringify(limits.sending) },
  );
  return row?.milliseconds ?? null;
}

const leases: LeaseColumns = {
  table: deliveries,
  key: deliveries.id,
  until: deliveries.dueAt,
  token: deliveries.claims,
};

/** Renews the leases of deliveries, in seconds from now; 0 releases them. */
export const renewDeliveries = (
  db: Database,
  claims: readonly Pick<ClaimedDelivery, "id" | "claims">[],
  seconds: number,
) =>
  extendLeases(
    db,
    leases,
    claims.map((claim) => ({ key: BigInt(claim.id), token: claim.claims })),
    seconds,
    eq(deliveries.state, "pending"),
  );

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

import {
  type DeliveryState,
  type ListDeliveries,
  MESSAGES,
  toAuthHeaderName,
  type WebhookEventName,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, desc, eq, gte, inArray, isNull, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Manager } from "../../access/callers.js";
import { buildScopeCondition, type UserCaller, visibleTo } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { toRequestHeaders } from "../delivery/attempt.js";
import { writeBody } from "../delivery/chat.js";
import { requireLogReader } from "./access.js";

const { attempts, deliveries, meetings, webhookEvents, webhooks } = schema;

/** Condition that the meeting was deleted while the delivery was pending. */
const isCanceled = and(inArray(deliveries.state, ["pending", "held"]), isNull(deliveries.eventId)) as SQL;

/** The displayed state. */
const shownState = sql<DeliveryState>`case when ${isCanceled} then 'canceled' else ${deliveries.state} end`;

const whereState = (state: DeliveryState): SQL =>
  state === "canceled" ? isCanceled : (and(eq(deliveries.state, state), sql`not (${isCanceled})`) as SQL);

const columns = {
  id: sql<string>`${deliveries.id}::text`,
  webhookId: deliveries.webhookId,
  /** Null: a test delivery. */
  meetingId: deliveries.meetingId,
  event: deliveries.event,
  state: shownState,
  attempts: deliveries.attempts,
  createdAt: deliveries.createdAt,
  finishedAt: deliveries.finishedAt,
  /** When the next attempt is due; null if there is none. */
  nextAttemptAt: sql<
    string | null
  >`case when ${shownState} = 'pending' then to_char(${deliveries.dueAt} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end`,
};

/** A page of the delivery log. */
export interface DeliveryPage {
  readonly deliveries: Delivery[];
  readonly nextCursor: string | null;
}

const selectDeliveries = (db: Database) => db.select(columns).from(deliveries);
type Delivery = Awaited<ReturnType<typeof selectDeliveries>>[number];

/**
 * Lists a webhook's deliveries, newest first, without content.
 * @see docs/specification.md#events
 * @throws ApiError 404, also if the caller can't read the log
 */
export async function listDeliveries(
  db: Database,
  caller: Manager,
  input: ListDeliveries,
): Promise<DeliveryPage> {
  const { webhookId, state, from, to, cursor, limit } = input;
  await requireLogReader(db, caller, webhookId);
  const rows = await selectDeliveries(db)
    .where(
      and(
        eq(deliveries.webhookId, webhookId),
        state && whereState(state),
        from === undefined ? undefined : gte(deliveries.createdAt, from),
        to === undefined ? undefined : lte(deliveries.createdAt, to),
        cursor === undefined ? undefined : lt(deliveries.id, BigInt(cursor)),
      ),
    )
    .orderBy(desc(deliveries.id))
    .limit(limit + 1);
  const page = rows.slice(0, limit);
  return { deliveries: page, nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null };
}

/**
 * Returns one delivery with all its attempts, in order.
 * @throws ApiError 404, also if the caller can't read the log
 */
export async function getDelivery(db: Database, caller: Manager, deliveryId: string) {
  // A snapshot, so that an attempt can't appear next to a delivery that still waits for it.
  return db.transaction(
    async (tx) => {
      const [delivery] = await selectDeliveries(tx).where(eq(deliveries.id, BigInt(deliveryId)));
      if (!delivery) throw new ApiError("NOT_FOUND", MESSAGES.deliveryNotFound);
      await requireLogReader(tx, caller, delivery.webhookId, MESSAGES.deliveryNotFound);
      const list = await tx
        .select({
          number: attempts.number,
          startedAt: attempts.startedAt,
          milliseconds: attempts.milliseconds,
          status: attempts.status,
          error: attempts.error,
        })
        .from(attempts)
        .where(eq(attempts.deliveryId, BigInt(deliveryId)))
        .orderBy(asc(attempts.number));
      return { ...delivery, attempts: list };
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

/** The request sent with every attempt of a delivery. */
export interface DeliveryRequest {
  /** By name. Null: the signature or the secret, which is never shown. */
  readonly headers: Readonly<Record<string, string | null>>;
  /** Null: the meeting is deleted, or the reader can't read it. */
  readonly body: string | null;
}

/**
 * Returns the request of a delivery, with the body if the user can read the meeting.
 * @see docs/specification.md#events
 * @throws ApiError 404, also if the user can't read the log
 */
export async function getDeliveryRequest(
  db: Database,
  caller: UserCaller,
  deliveryId: string,
  publicUrl: string,
): Promise<DeliveryRequest> {
  const scope = visibleTo(caller);
  const [row] = await db
    .select({
      webhookId: deliveries.webhookId,
      event: sql<WebhookEventName>`${deliveries.event}`,
      method: webhooks.method,
      headerName: webhooks.headerName,
      headerPrefix: webhooks.headerPrefix,
      format: webhooks.format,
      created: sql<number>`floor(extract(epoch from ${deliveries.createdAt}))::float8`,
      data: sql<string | null>`case when ${webhookEvents.meetingId} is null or exists (
        select from ${meetings} m where m.id = ${webhookEvents.meetingId} and ${buildScopeCondition(scope)}
      ) then ${webhookEvents.data} end`,
    })
    .from(deliveries)
    .innerJoin(webhooks, eq(webhooks.id, deliveries.webhookId))
    .leftJoin(webhookEvents, eq(webhookEvents.id, deliveries.eventId))
    .where(eq(deliveries.id, BigInt(deliveryId)))
    .prepare(`delivery_request_${scope.name}`)
    .execute(scope.values);
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.deliveryNotFound);
  await requireLogReader(db, caller, row.webhookId, MESSAGES.deliveryNotFound);
  return {
    headers: { ...toRequestHeaders(row.headerPrefix, row.event, deliveryId), [toAuthHeaderName(row)]: null },
    body: row.data === null ? null : writeBody({ ...row, id: deliveryId, data: row.data }, publicUrl),
  };
}

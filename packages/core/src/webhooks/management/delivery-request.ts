import { MESSAGES, toAuthHeaderName, type WebhookEventName } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { buildScopeCondition, type UserCaller, visibleTo } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { toRequestHeaders } from "../delivery/attempt.js";
import { toDeliveryBody } from "../delivery/payload.js";
import { requireLogReader } from "./access.js";

const { deliveries, meetings, webhookEvents, webhooks } = schema;

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
): Promise<DeliveryRequest> {
  const scope = visibleTo(caller);
  const [row] = await db
    .select({
      webhookId: deliveries.webhookId,
      event: sql<WebhookEventName>`${deliveries.event}`,
      method: webhooks.method,
      headerName: webhooks.headerName,
      headerPrefix: webhooks.headerPrefix,
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
    body: row.data === null ? null : toDeliveryBody(deliveryId, row.created, row.data, row.event),
  };
}

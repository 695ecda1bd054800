import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { heldWebhook } from "./access.js";
import { requireWebhooks } from "./manage.js";
import { dataOfMeeting, dataRows, SAMPLE_DATA } from "./payload.js";
import { receives } from "./recipients.js";

const { deliveries, meetings, webhookEvents, webhooks, workspaces } = schema;

/** Where workers listen for new deliveries. */
export const DELIVERIES_CHANNEL = "minutes_deliveries";

/** Wakes the workers once the transaction commits. */
export const wakeWorkers = sql`pg_notify(${sql.raw(`'${DELIVERIES_CHANNEL}'`)}, '')`;

/**
 * Makes a meeting's completion an event: one delivery to each webhook that receives the meeting (contract:
 * "Events"). Call it once in the transaction that completes the meeting, after everything of the meeting is stored
 * and the credit is charged: what is sent is what the meeting says then. If the transaction does not commit, nothing
 * is sent. A second call for the same meeting does nothing.
 * @returns how many deliveries were enqueued.
 */
export async function enqueueDeliveries(tx: Database, meetingId: string): Promise<number> {
  const [row] = await rowsOf<{ enqueued: number }>(
    tx,
    sql`with recipients as (
      select w.id from ${meetings} m
      join ${workspaces} p on p.id = m.workspace_id
      join ${webhooks} w on ${receives}
      where m.id = ${meetingId}
    ), event as (
      insert into ${webhookEvents} (meeting_id, data)
      select m.id, ${dataOfMeeting} from ${dataRows}
      where m.id = ${meetingId} and exists (select from recipients)
      on conflict do nothing
      returning id
    ), enqueued as (
      insert into ${deliveries} (webhook_id, event_id, meeting_id)
      select r.id, e.id, ${meetingId} from recipients r cross join event e
      returning id
    )
    select count(*)::int as enqueued, case when count(*) > 0 then ${wakeWorkers} end from enqueued`,
  );
  return row?.enqueued ?? 0;
}

/** Rows of a statement in a transaction: the drivers return them in different wrappings. */
async function rowsOf<Row>(tx: Database, statement: SQL): Promise<Row[]> {
  const result: unknown = await tx.execute(statement);
  return (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as Row[];
}

/**
 * Sends a realistic sample to one webhook, by the same way as everything else.
 * @throws ApiError 404, 403 also on the free plan, 409 while the webhook is disabled.
 */
export async function sendTest(
  db: Database,
  actor: Actor,
  webhookId: string,
): Promise<{ deliveryId: string }> {
  return db.transaction(async (tx) => {
    const webhook = await heldWebhook(tx, actor, webhookId);
    if (webhook.disabledAt !== null) throw new ApiError("CONFLICT", MESSAGES.webhookDisabled);
    await requireWebhooks(tx, webhook);
    const [event] = await tx
      .insert(webhookEvents)
      .values({ data: JSON.stringify(SAMPLE_DATA) })
      .returning({ id: webhookEvents.id });
    if (!event) throw new TypeError("The event was not stored.");
    const [delivery] = await tx
      .insert(deliveries)
      .values({ webhookId, eventId: event.id })
      .returning({ id: sql<string>`${deliveries.id}::text` });
    await audit(tx, actor, "webhook.test", webhookId);
    await tx.execute(sql`select ${wakeWorkers}`);
    return { deliveryId: delivery?.id ?? "" };
  });
}

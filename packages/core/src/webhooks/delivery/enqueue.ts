import { type Database, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  initialState,
  insertMeetingDigest,
  insertMeetingEvents,
  isRecipient,
  matchWithCalendar,
  notifyWorkers,
  selectTagReaders,
} from "../../events/index.js";
import { fromMeetings } from "../../meetings/index.js";
import { payloadData } from "./payload.js";

const { deliveries, meetings, webhookEvents, webhooks, workspaces } = schema;

/**
 * Creates the event of a completed meeting, with one delivery for each webhook that receives it. Call it once in the
 * completing transaction, after the meeting is stored and the credit is charged: the payload is built from the
 * database. A second call for a meeting is a no-op. Also records `meeting.shared` for users who can see the meeting by
 * a tag, queues the owner's e-mail, and has the meeting matched with their calendar.
 * @returns the number of enqueued deliveries
 * @see docs/specification.md#events
 */
export async function enqueueDeliveries(tx: Database, meetingId: string): Promise<number> {
  const [row] = await selectRows<{ enqueued: number }>(
    tx,
    sql`with recipients as (
      select w.id, ${initialState} as state from ${meetings} m
      join ${workspaces} p on p.id = m.workspace_id
      join ${webhooks} w on 'meeting.completed' = any(w.events) and ${isRecipient}
      where m.id = ${meetingId}
    ), event as (
      insert into ${webhookEvents} (meeting_id, data)
      select m.id, ${payloadData} from ${fromMeetings()}
      where m.id = ${meetingId} and exists (select from recipients)
      on conflict do nothing
      returning id
    ), enqueued as (
      insert into ${deliveries} (webhook_id, event_id, meeting_id, state)
      select r.id, e.id, ${meetingId}, r.state from recipients r cross join event e
      returning id
    ), shared as (${insertMeetingEvents("meeting.shared", selectTagReaders(sql`l.meeting_id = ${meetingId}`))}),
    mailed as (${insertMeetingDigest(meetingId)}), matched as (${matchWithCalendar(meetingId)})
    select count(*)::int as enqueued,
      case when count(*) > 0 or exists (select from shared) then ${notifyWorkers} end from enqueued`,
  );
  return row?.enqueued ?? 0;
}

/** Returns a statement's rows in a transaction. The drivers wrap them differently. */
async function selectRows<Row>(tx: Database, statement: SQL): Promise<Row[]> {
  const result: unknown = await tx.execute(statement);
  return (Array.isArray(result) ? result : (result as { rows: unknown[] }).rows) as Row[];
}

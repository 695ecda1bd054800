import type { WebhookEventName } from "@minutes/contract";
import { type Database, schema, writeArray } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { initialState, isEventRecipient, isRecipient } from "./recipients.js";

const { calendars, deliveries, digests, digestSubscriptions, meetings, meetingTags, members, tagShares } =
  schema;
const { webhookEvents, webhooks, workspaces } = schema;

/** Channel on which workers listen for new events and deliveries. */
export const DELIVERIES_CHANNEL = "minutes_deliveries";

/** Wakes the workers when the transaction commits. */
export const notifyWorkers = sql`pg_notify(${sql.raw(`'${DELIVERIES_CHANNEL}'`)}, '')`;

/** An event whose payload a worker writes after collecting changes for a second. */
export type MeetingEventName = Extract<
  WebhookEventName,
  "meeting.updated" | "meeting.shared" | "task.updated"
>;

const toLiteral = (event: WebhookEventName): SQL => sql.raw(`'${event}'`);

/** Builds the condition that any webhook of the installation subscribes to an event. */
export const isSubscribedTo = (event: MeetingEventName): SQL =>
  sql`exists (select from ${webhooks} w where ${toLiteral(event)} = any(w.events) and w.deleted_at is null)`;

/**
 * Builds the statement that records an event for meetings, if a webhook subscribes to it. Changes join a pending event
 * and lock it: its payload is written after their commit and so includes them.
 * @param changed selects `meeting_id` and `subjects`, one row per meeting
 * @see docs/decisions/0166-further-events.md
 */
export const insertMeetingEvents = (event: MeetingEventName, changed: SQL): SQL => {
  const recipient =
    event === "meeting.shared" ? isEventRecipient(toLiteral(event), sql`c.subjects`) : isRecipient;
  return sql`
    insert into ${webhookEvents} as v (meeting_id, event, subjects)
    select m.id, ${toLiteral(event)}, c.subjects from (${changed}) c
      join ${meetings} m on m.id = c.meeting_id join ${workspaces} p on p.id = m.workspace_id
    where exists (select from ${webhooks} w where ${toLiteral(event)} = any(w.events) and ${recipient})
    order by m.id
    on conflict (meeting_id, event) where event = 'meeting.completed' or data is null
    do update set subjects = (select array_agg(distinct s) from unnest(v.subjects || excluded.subjects) s)
    returning id`;
};

/** Records an event of meetings within the transaction that changes them. */
async function recordEvents(tx: Database, event: MeetingEventName, changed: SQL): Promise<void> {
  await tx.execute(sql`with announced as (${insertMeetingEvents(event, changed)})
    select ${notifyWorkers} where exists (select from announced)`);
}

/** Records that meetings changed. Part of the changing transaction. */
export const recordUpdateEvents = (tx: Database, meetingIds: readonly string[]): Promise<void> =>
  recordEvents(
    tx,
    "meeting.updated",
    sql`select t.id as meeting_id, null::text[] as subjects from unnest(${toTextArray(meetingIds)}) as t(id)`,
  );

/** Records that a task changed. Part of the changing transaction. */
export const recordTaskEvent = (tx: Database, meetingId: string, taskId: string): Promise<void> =>
  recordEvents(
    tx,
    "task.updated",
    sql`select ${meetingId} as meeting_id, ${toTextArray([taskId])} as subjects`,
  );

/** Records that a meeting was shared with users, directly or by a tag. Part of the sharing transaction. */
export const recordShareEvents = (
  tx: Database,
  meetingId: string,
  userIds: readonly string[],
): Promise<void> =>
  recordEvents(
    tx,
    "meeting.shared",
    sql`select ${meetingId} as meeting_id, ${toTextArray(userIds)} as subjects`,
  );

/** Records that every meeting with a tag was shared with a user. Part of the transaction that shares the tag. */
export const recordTagShareEvents = (tx: Database, tagId: string, userId: string): Promise<void> =>
  recordEvents(
    tx,
    "meeting.shared",
    sql`select l.meeting_id, ${toTextArray([userId])} as subjects from ${meetingTags} l where l.tag_id = ${tagId}`,
  );

/**
 * Selects the users that a meeting's tags share it with, for `insertMeetingEvents`. `which` filters its tag rows `l`.
 */
export const selectTagReaders = (which: SQL): SQL => sql`
  select l.meeting_id, array_agg(distinct s.user_id::text) as subjects
  from ${meetingTags} l join ${tagShares} s on s.tag_id = l.tag_id where ${which} group by l.meeting_id`;

/** Records that a meeting was tagged: it changed, and was shared with the tag's readers. */
export async function recordTagEvents(tx: Database, meetingId: string, tagId: string): Promise<void> {
  await recordUpdateEvents(tx, [meetingId]);
  await recordEvents(
    tx,
    "meeting.shared",
    selectTagReaders(sql`l.meeting_id = ${meetingId} and l.tag_id = ${tagId}`),
  );
}

/**
 * Builds the part of a statement that records deletion events. They contain only the id, so nothing has to be erased
 * later. The deletion cancels all other deliveries of the meeting.
 * @param gone selects the deleted rows: `id`, `user_id` and `workspace_id`
 */
export const insertDeletionEvents = (gone: SQL): SQL =>
  insertNotices("meeting.deleted", gone, sql`json_build_object('id', m.id)`);

/** Records that meetings are deleted. Call it in the deleting transaction, before the deletion. */
export async function recordDeletionEvents(tx: Database, which: SQL): Promise<void> {
  await tx.execute(
    sql`with ${insertDeletionEvents(
      sql`select d.id, d.user_id, d.workspace_id from ${meetings} d where ${which}`,
    )} select ${notifyWorkers} where exists (select from notices)`,
  );
}

/**
 * Records that a recording failed. Part of the transaction that marks it. Leaves out the reason, which can contain
 * content.
 */
export async function recordFailureEvent(
  tx: Database,
  recording: { readonly id: string; readonly externalId: string | null; readonly userId: string },
): Promise<void> {
  const { id, externalId, userId } = recording;
  const owner = sql`select ${id} as id, b.user_id, b.workspace_id from ${members} b where b.user_id = ${userId}`;
  await tx.execute(
    sql`with ${insertNotices(
      "recording.failed",
      owner,
      sql`json_build_object('id', m.id, 'externalId', ${externalId}::text, 'userId', m.user_id)`,
    )} select ${notifyWorkers} where exists (select from notices)`,
  );
}

/** Builds the part of a statement that inserts content-free events and their deliveries. `data` reads a row `m`. */
const insertNotices = (event: "meeting.deleted" | "recording.failed", rows: SQL, data: SQL): SQL => {
  const recipients = sql`join ${webhooks} w on ${toLiteral(event)} = any(w.events) and ${isRecipient}`;
  return sql`noticed as materialized (${rows}),
    notices as (
      insert into ${webhookEvents} (event, subjects, data)
      select ${toLiteral(event)}, array[m.id::text], (${data})::text
      from noticed m join ${workspaces} p on p.id = m.workspace_id
      where exists (select from (select 1) one ${recipients})
      returning id, subjects
    ),
    notice_deliveries as (
      insert into ${deliveries} (webhook_id, event_id, meeting_id, event, state)
      select w.id, n.id, m.id, ${toLiteral(event)}, ${initialState}
      from notices n join noticed m on m.id = n.subjects[1] join ${workspaces} p on p.id = m.workspace_id ${recipients}
    )`;
};

/**
 * Builds the statement that queues the e-mail about a completed meeting, if its owner asked for one. Meetings that started
 * over a day ago get none: archives are imported, too.
 * @see docs/decisions/0174-digests.md
 */
export const insertMeetingDigest = (meetingId: string): SQL => sql`
  insert into ${digests} (user_id, kind, meeting_id)
  select m.user_id, s.kind, m.id from ${meetings} m
    join ${digestSubscriptions} s on s.user_id = m.user_id and s.kind = 'meeting'
  where m.id = ${meetingId} and m.start_time > now() - interval '1 day'
  on conflict do nothing`;

/**
 * Builds the statement that has a completed meeting matched with its owner's calendar. An owner without one costs a lookup
 * by index.
 * @see docs/decisions/0385-calendars.md
 */
export const matchWithCalendar = (meetingId: string): SQL => sql`
  update ${calendars} set match_due_at = now()
  where user_id = (select m.user_id from ${meetings} m where m.id = ${meetingId} and m.calendar_event_id is null)`;

const toTextArray = (values: readonly string[]): SQL => sql`${writeArray(values)}::text::text[]`;

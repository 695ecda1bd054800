import { type Database, runNamedStatement, schema } from "@minutes/db";
import { isOutside } from "@minutes/search";
import { sql } from "drizzle-orm";

const { deliveries, recordingDrafts, retentionRules, searchDocuments, searchSettings, webhooks } = schema;

/** Sizes and queues of an installation. Counts stop at 100,000. */
export interface Queues {
  /** Bytes of the whole database. */
  readonly databaseBytes: number;
  readonly deliveriesPending: number;
  /** Waiting until their webhook is no longer paused. */
  readonly deliveriesHeld: number;
  /** Seconds since the oldest unclaimed delivery became due; 0 if there is none. */
  readonly oldestDueDelivery: number;
  readonly webhooksPaused: number;
  readonly recordingsRecording: number;
  readonly recordingsProcessing: number;
  readonly recordingsFailed: number;
  /** Seconds since a run of retention rules that did not take place or failed was due; 0 if there is none. */
  readonly retentionOverdue: number;
  /** Without vectors of the current model. */
  readonly meetingsWithoutVectors: number;
  /** Connections of all processes of the installation, by state. */
  readonly connectionsActive: number;
  readonly connectionsInTransaction: number;
  readonly connectionsIdle: number;
}

const MOST = sql.raw("100000");

/** Returns the sizes and queues, read by one statement bounded by indexes. */
export async function readQueues(db: Database): Promise<Queues> {
  const [row] = await runNamedStatement<Queues>(db, "queues", selectQueues, {});
  if (!row) throw new Error("The database did not answer.");
  return row;
}

const currentSpace = sql`(select s.space from ${searchSettings} s)`;

const selectQueues = () => sql`
  select pg_database_size(current_database())::float8 as "databaseBytes",
    (select count(*)::int from (
      select from ${deliveries} where state = 'pending' and event_id is not null limit ${MOST}) d) as "deliveriesPending",
    (select count(*)::int from (
      select from ${deliveries} where state = 'held' limit ${MOST}) d) as "deliveriesHeld",
    coalesce((select extract(epoch from clock_timestamp() - min(d.due_at)) from ${webhooks} w cross join lateral (
      select due_at from ${deliveries} d where d.webhook_id = w.id and d.state = 'pending' and d.event_id is not null
        and d.due_at <= clock_timestamp() order by d.due_at limit 1) d), 0)::float8 as "oldestDueDelivery",
    (select count(*)::int from ${webhooks} where paused_at is not null and deleted_at is null) as "webhooksPaused",
    coalesce(greatest(0, extract(epoch from clock_timestamp() - (select min(r.next_run_at) from ${retentionRules} r))), 0)::float8
      as "retentionOverdue",
    draft.*,
    (select count(distinct meeting_id)::int from (
      select meeting_id from ${searchDocuments} where ${isOutside(currentSpace)} limit ${MOST}) d) as "meetingsWithoutVectors",
    session.*
  from (
    select count(*) filter (where failure is null and due_at is null)::int as "recordingsRecording",
      count(*) filter (where failure is null and due_at is not null)::int as "recordingsProcessing",
      count(*) filter (where failure is not null)::int as "recordingsFailed"
    from (select failure, due_at from ${recordingDrafts} limit ${MOST}) d
  ) draft, (
    select count(*) filter (where state = 'active')::int as "connectionsActive",
      count(*) filter (where state like 'idle in transaction%')::int as "connectionsInTransaction",
      count(*) filter (where state = 'idle')::int as "connectionsIdle"
    from pg_stat_activity where datname = current_database() and application_name = 'minutes'
  ) session`;

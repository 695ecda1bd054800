import { runInBatches } from "@minutes/background";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { recordingDrafts, recordings } = schema;

const DAY_SECONDS = 86_400;

/** Returns true if a recording of this age has expired. */
export const isExpired = (ageSeconds: number, days: number): boolean => ageSeconds > days * DAY_SECONDS;

/** Age of a recording in seconds, by the database's clock. */
export const ageInSeconds = sql<number>`extract(epoch from now() - ${recordings.createdAt})::float8`;

/**
 * Expires recordings that were started or failed more than `days` ago: deletes title, attendees and failure, and leaves
 * a tombstone, so that a repeated call does not restore them. Recordings waiting for their summary don't expire here.
 * @returns the number of expired recordings
 */
export const expireRecordings = (db: Database, days: number): Promise<number> =>
  runInBatches((limit) => runNamedStatement(db, "expire_recordings", expireSome, { days, limit }));

const expireSome = () => sql`
  with expired as (
    select r.id from ${recordings} r
    where r.state in ('recording', 'failed')
      and r.id in (
        select d.recording_id from ${recordingDrafts} d
        where d.created_at < now() - make_interval(days => ${sql.placeholder("days")}::int)
      )
    limit ${sql.placeholder("limit")}::int
    for update of r skip locked
  ),
  erased as (delete from ${recordingDrafts} where recording_id in (select id from expired))
  update ${recordings} set state = 'deleted', start_hash = null, content_hash = null, updated_at = now()
  where id in (select id from expired)
  returning id`;

import { type BackgroundLoop, runInBatches, startHourly } from "@minutes/background";
import { type Database, execute, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { recordingDrafts, recordings } = schema;

/** Days after which a recording that is not completed expires, unless a setting says otherwise. */
export const RECORDING_DAYS = 30;

const DAY_SECONDS = 86_400;

/** Returns true for a recording that began `ageSeconds` ago. */
export const isExpired = (ageSeconds: number, days: number): boolean => ageSeconds > days * DAY_SECONDS;

/** Seconds since a recording was started here, by the database's clock. */
export const ageInSeconds = sql<number>`extract(epoch from now() - ${recordings.createdAt})::float8`;

/**
 * Expires recordings that were started or failed more than `days` ago: deletes title, attendees and failure, and leaves a
 * tombstone, so that a repeat does not bring them back. A recording that waits for its summary is not expired here.
 * @returns how many expired
 */
export const expireRecordings = (db: Database, days: number): Promise<number> =>
  runInBatches((limit) => execute(db, "expire_recordings", expireSome, { days, limit }));

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

/** Expires recordings at once and every hour. */
export const startRecordingExpiry = (
  db: Database,
  days: number,
  onFault: (error: unknown) => void,
): BackgroundLoop => startHourly(() => expireRecordings(db, days), onFault);

import { runInBatches } from "@minutes/background";
import { type Database, schema, writeArray } from "@minutes/db";
import { inArray, sql } from "drizzle-orm";

const { meetingVersions, meetingVersionContents } = schema;

/**
 * Deletes versions older than a number of days. The newest row of a meeting stays without its content, so that version
 * numbers are never given again.
 */
export async function purgeVersions(db: Database, days: number): Promise<void> {
  const isOld = sql`v.at < now() - make_interval(days => ${days}::int)`;
  const isNewest = sql`not exists (select from ${meetingVersions} n where n.meeting_id = v.meeting_id and n.version > v.version)`;
  await runInBatches((limit) =>
    db
      .delete(meetingVersions)
      .where(
        sql`(${meetingVersions.meetingId}, ${meetingVersions.version}) in (
          select v.meeting_id, v.version from ${meetingVersions} v
          where ${isOld} and not ${isNewest} limit ${limit})`,
      )
      .returning({ version: meetingVersions.version }),
  );
  const { meetingId, version, field } = meetingVersionContents;
  await runInBatches((limit) =>
    db
      .delete(meetingVersionContents)
      .where(
        sql`(${meetingId}, ${version}, ${field}) in (
          select c.meeting_id, c.version, c.field
          from ${meetingVersions} v join ${meetingVersionContents} c on c.meeting_id = v.meeting_id and c.version = v.version
          where ${isOld} limit ${limit})`,
      )
      .returning({ version }),
  );
}

/** Erases all earlier versions of meetings. Their version numbers stay. The caller holds the meetings' locks. */
export async function eraseVersions(tx: Database, meetingIds: readonly string[]): Promise<void> {
  await tx
    .delete(meetingVersionContents)
    .where(sql`${meetingVersionContents.meetingId} = any(${writeArray(meetingIds)}::text::text[])`);
  await tx.delete(meetingVersions).where(
    sql`${inArray(meetingVersions.meetingId, [...meetingIds])} and exists (select from ${meetingVersions} n
      where n.meeting_id = ${meetingVersions.meetingId} and n.version > ${meetingVersions.version})`,
  );
}

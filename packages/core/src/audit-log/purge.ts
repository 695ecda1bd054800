import { type BackgroundLoop, runInBatches, startHourly } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { auditLog } = schema;

/** Deletes entries of the audit log that are older than `days`. */
export async function purgeAudit(db: Database, days: number): Promise<void> {
  await runInBatches((limit) =>
    db
      .delete(auditLog)
      .where(
        sql`${auditLog.id} in (select a.id from ${auditLog} a
          where a.at < now() - make_interval(days => ${days}::int) order by a.at limit ${limit})`,
      )
      .returning({ id: auditLog.id }),
  );
}

/** Purges the audit log at once and every hour. */
export const startAuditPurge = (
  db: Database,
  days: number,
  onFault: (error: unknown) => void,
): BackgroundLoop => startHourly(() => purgeAudit(db, days), onFault);

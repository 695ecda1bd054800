import { type BackgroundLoop, startLoop } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { auditLog } = schema;

/** Rows that one statement deletes, so that it blocks nobody for long. */
const BATCH = 1_000;
/** Milliseconds between two runs. */
const INTERVAL = 3_600_000;

/** Deletes entries of the audit log that are older than `days`. */
export async function purgeAudit(db: Database, days: number): Promise<void> {
  for (;;) {
    const deleted = await db
      .delete(auditLog)
      .where(
        sql`${auditLog.id} in (select a.id from ${auditLog} a
          where a.at < now() - make_interval(days => ${days}::int) order by a.at limit ${BATCH})`,
      )
      .returning({ id: auditLog.id });
    if (deleted.length < BATCH) return;
  }
}

/** Purges the audit log at once and every hour. */
export const startAuditPurge = (
  db: Database,
  days: number,
  onFault: (error: unknown) => void,
): BackgroundLoop =>
  startLoop({
    onFault,
    step: async () => {
      await purgeAudit(db, days);
      return INTERVAL;
    },
  });

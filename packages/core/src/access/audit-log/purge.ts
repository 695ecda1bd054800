import { runInBatches } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { auditLog } = schema;

/** Deletes audit log entries older than `days`. */
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

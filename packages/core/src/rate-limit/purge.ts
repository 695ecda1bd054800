import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { rateWindows } = schema;

/** Deletes quota windows that ended long ago: some contain a visitor's network address. */
export async function purgeRateWindows(db: Database): Promise<void> {
  await db.delete(rateWindows).where(sql`${rateWindows.startedAt} < now() - interval '1 hour'`);
}

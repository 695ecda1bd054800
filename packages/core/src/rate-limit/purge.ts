import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { DAILY } from "./daily.js";

const { rateWindows } = schema;

/** Deletes quota windows that ended long ago: some contain a visitor's network address. */
export async function purgeRateWindows(db: Database): Promise<void> {
  const isDaily = sql`starts_with(${rateWindows.scope}, ${DAILY})`;
  await db
    .delete(rateWindows)
    .where(
      sql`${rateWindows.startedAt} < now() - case when ${isDaily} then interval '1 day' else interval '1 hour' end`,
    );
}

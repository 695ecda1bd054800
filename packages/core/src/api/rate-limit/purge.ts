import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { deleteInBatches } from "../../lib/purge-expired.js";
import { DAILY } from "./daily.js";

const { rateWindows } = schema;

/** Deletes quota windows that ended long ago: some contain a visitor's network address. */
export async function purgeRateWindows(db: Database): Promise<void> {
  const isDaily = sql`starts_with(${rateWindows.scope}, ${DAILY})`;
  const kept = sql`case when ${isDaily} then interval '1 day' else interval '1 hour' end`;
  await deleteInBatches(
    db,
    rateWindows,
    [rateWindows.scope],
    sql`${rateWindows.startedAt} < now() - ${kept}`,
  );
}

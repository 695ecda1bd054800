import { type BackgroundLoop, startLoop } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { rateWindows } = schema;

/** Milliseconds between two runs. */
const INTERVAL = 3_600_000;

/** Deletes quota windows that ended long ago: some are named after the network address of a visitor. */
export async function purgeRateWindows(db: Database): Promise<void> {
  await db.delete(rateWindows).where(sql`${rateWindows.startedAt} < now() - interval '1 hour'`);
}

/** Purges quota windows at once and every hour. */
export const startRateWindowPurge = (db: Database, onFault: (error: unknown) => void): BackgroundLoop =>
  startLoop({
    onFault,
    step: async () => {
      await purgeRateWindows(db);
      return INTERVAL;
    },
  });

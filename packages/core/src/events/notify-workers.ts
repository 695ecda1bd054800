import { sql } from "drizzle-orm";

/** Channel on which workers listen for new events and deliveries. */
export const DELIVERIES_CHANNEL = "minutes_deliveries";

/** Wakes the workers when the transaction commits. */
export const notifyWorkers = sql`pg_notify(${sql.raw(`'${DELIVERIES_CHANNEL}'`)}, '')`;

import { date, index, pgTable } from "drizzle-orm/pg-core";
import { recordingReference } from "./meetings.js";
import { userReference } from "./people.js";
import { instant, now } from "./types.js";

/**
 * Charged credits: at most one per recording, in the month of its completion. References the recording, not the
 * meeting, so deleting a meeting does not refund its credit.
 */
export const creditCharges = pgTable(
  "credit_charges",
  {
    recordingId: recordingReference().primaryKey(),
    userId: userReference().notNull(),
    /** First day of the calendar month (UTC). */
    month: date("month", { mode: "string" }).notNull(),
    createdAt: instant("created_at").notNull().default(now),
  },
  (table) => [index("credits_of_user_by_month").on(table.userId, table.month)],
);

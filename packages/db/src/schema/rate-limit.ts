import { integer, pgTable } from "drizzle-orm/pg-core";
import { id, instant } from "./types.js";

/**
 * Counts requests per user or per workspace in the current fixed window. The migration creates it UNLOGGED: a request
 * never waits for the disk, and a crash of the database starts new windows.
 */
export const rateWindows = pgTable("rate_windows", {
  scope: id("scope").primaryKey(),
  startedAt: instant("started_at").notNull(),
  count: integer("count").notNull(),
});

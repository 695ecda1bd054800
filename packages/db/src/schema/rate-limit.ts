import { index, integer, pgTable, primaryKey } from "drizzle-orm/pg-core";
import { id, instant } from "./types.js";

/**
 * Requests per user or workspace in the current fixed window. Created UNLOGGED by the migration: requests never wait
 * for the disk, and a database crash starts new windows.
 */
export const rateWindows = pgTable("rate_windows", {
  scope: id("scope").primaryKey(),
  startedAt: instant("started_at").notNull(),
  count: integer("count").notNull(),
});

/**
 * Requests per minute of the last hour, for display; no limit depends on it. Also UNLOGGED: a database crash loses an
 * hour of a chart.
 */
export const requestCounts = pgTable(
  "request_counts",
  {
    /** `personal:<userId>`, `workspace:<workspaceId>` or `ingest:<workspaceId>`. */
    scope: id("scope").notNull(),
    /** Start of the minute. */
    minute: instant("minute").notNull(),
    count: integer("count").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.scope, table.minute] }),
    // Finds rows older than an hour.
    index("request_counts_by_age").on(table.minute),
  ],
);

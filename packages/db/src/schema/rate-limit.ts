import { index, integer, pgTable, primaryKey } from "drizzle-orm/pg-core";
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

/**
 * Counts the requests of the last hour by minute, for people to read; no limit depends on it. UNLOGGED too: a crash of
 * the database forgets an hour of a chart.
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
    // Finds what is older than an hour.
    index("request_counts_by_age").on(table.minute),
  ],
);

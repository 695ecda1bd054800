import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { meetingReference } from "./meetings.js";
import { id, instant, now } from "./types.js";

/** Meetings whose summary a model writes again, on request; at most one request each, the last one. */
export const summaryRequests = pgTable(
  "summary_requests",
  {
    id: id("id").primaryKey(),
    meetingId: meetingReference().notNull().unique("request_of_meeting"),
    /** The meeting's workspace at the request: it is void if the meeting has moved since. */
    workspaceId: id("workspace_id").notNull(),
    /** Who asked: a user's id, a key's id, or `operator`. */
    actor: id("actor").notNull(),
    /** What to write it with, as in `summaries`. */
    origin: text("origin"),
    /** True once the model has failed too often. */
    failed: boolean("failed").notNull().default(false),
    attempts: integer("attempts").notNull().default(0),
    /** When the next attempt is due, or the lease of the current one ends. */
    dueAt: instant("due_at").notNull().default(now),
    expiresAt: instant("expires_at").notNull().default(sql`now() + interval '1 day'`),
  },
  (table) => [
    index("due_summary_requests").on(table.dueAt).where(sql`not failed`),
    index("summary_requests_by_expiry").on(table.expiresAt),
  ],
);

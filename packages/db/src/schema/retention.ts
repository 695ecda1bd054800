import { integer, pgTable, text, unique } from "drizzle-orm/pg-core";
import { meetingReference } from "./meetings.js";
import { workspaceReference } from "./people.js";
import { id, instant, now } from "./types.js";

/**
 * How long a workspace keeps its meetings.
 * @see docs/decisions/0340-retention.md
 */
export const retentionRules = pgTable(
  "retention_rules",
  {
    id: id("id").primaryKey(),
    workspaceId: workspaceReference().notNull(),
    /** The name of members' tags; null for meetings whose tags have no rule. */
    tag: text("tag"),
    /** Days after their start for which meetings are kept. */
    days: integer("days").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    /** When the next run deletes meetings. A run takes the rule by setting it. */
    nextRunAt: instant("next_run_at").notNull(),
    /** The meeting up to which the last run looked: start and ID. Null: the next run begins with the oldest. */
    positionStart: instant("position_start"),
    positionId: id("position_id"),
  },
  (table) => [unique("rule_of_workspace_by_tag").on(table.workspaceId, table.tag).nullsNotDistinct()],
);

/**
 * Meetings that no retention rule deletes. Not a column of `meetings`, because updating one sends the meeting to every
 * copy.
 */
export const meetingHolds = pgTable("meeting_holds", {
  meetingId: meetingReference().primaryKey(),
  at: instant("at").notNull().default(now),
  /** A user's id, or `operator`. No foreign key: the hold stays when its author is gone. */
  actor: id("actor").notNull(),
});

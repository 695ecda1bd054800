import { foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { meetingReference } from "./meetings.js";
import { id, instant, now } from "./types.js";

/** What made a version: an edit, a recorder's replacement, or the restoration of an earlier version. */
const VERSION_ACTIONS = ["edit", "replace", "restore"] as const;
export type VersionAction = (typeof VERSION_ACTIONS)[number];

/**
 * Versions of meetings after the first, one row per edit. The newest row is a meeting's version number, so it is never
 * purged; a meeting without rows is at version 1.
 * @see docs/decisions/0300-versions.md
 */
export const meetingVersions = pgTable(
  "meeting_versions",
  {
    meetingId: meetingReference().notNull(),
    version: integer("version").notNull(),
    at: instant("at").notNull().default(now),
    /** A user's id, a key's id, or `operator`. */
    actor: id("actor").notNull(),
    action: text("action", { enum: VERSION_ACTIONS }).notNull(),
    /** The changed fields, such as `title` and `tasks`. */
    fields: text("fields").array().notNull(),
  },
  (table) => [
    primaryKey({ name: "versions_of_meeting", columns: [table.meetingId, table.version] }),
    index("meeting_versions_by_age").on(table.at),
  ],
);

/** The values that an edit replaced: what undoes it. */
export const meetingVersionContents = pgTable(
  "meeting_version_contents",
  {
    meetingId: id("meeting_id").notNull(),
    /** The version that the edit made. */
    version: integer("version").notNull(),
    /** `title`, `summary`, `transcript`, …; `turn:7` for one turn, `turns:s1` for which turns s1 had, `task:tsk_…` for one task. */
    field: id("field").notNull(),
    /** JSON; null if there was no value or no task. */
    content: text("content"),
  },
  (table) => [
    primaryKey({ name: "contents_of_version", columns: [table.meetingId, table.version, table.field] }),
    foreignKey({
      name: "contents_leave_with_their_version",
      columns: [table.meetingId, table.version],
      foreignColumns: [meetingVersions.meetingId, meetingVersions.version],
    }).onDelete("cascade"),
  ],
);

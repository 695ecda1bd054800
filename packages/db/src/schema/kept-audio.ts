import { sql } from "drizzle-orm";
import { boolean, doublePrecision, index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { recordings } from "./meetings.js";
import { membershipKey } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

/**
 * Kept audio of meetings, also of those whose summary is still being written. The audio is in an encrypted file, whose key is here:
 * deleting the row makes the file unreadable. A trigger on `meetings` deletes the row with its meeting.
 */
export const keptAudio = pgTable(
  "kept_audio",
  {
    /** Names the file. */
    id: id("id").primaryKey(),
    meetingId: id("meeting_id")
      .notNull()
      .unique("audio_of_meeting")
      .references(() => recordings.id, { onDelete: "cascade" }),
    /** The meeting's owner. */
    userId: id("user_id").notNull(),
    workspaceId: id("workspace_id").notNull(),
    /** Such as `mp3`. */
    format: text("format").notNull(),
    /** Length of the audio in bytes. */
    size: integer("size").notNull(),
    /** Length in seconds; null if unknown. */
    seconds: doublePrecision("seconds"),
    /** The file's key, encrypted. */
    fileKey: bytes("file_key").notNull(),
    /** ID of the key that encrypted it. */
    secretKeyId: text("secret_key_id").notNull(),
    /** False while the file is being written. */
    ready: boolean("ready").notNull().default(false),
    createdAt: instant("created_at").notNull().default(now),
    /** When it ends, unless its meeting is on hold. */
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    membershipKey("audio_of_member", table.userId, table.workspaceId).onUpdate("cascade"),
    index("audio_of_user").on(table.userId),
    index("audio_of_workspace").on(table.workspaceId),
    index("audio_by_expiry").on(table.expiresAt),
    index("unfinished_audio").on(table.createdAt).where(sql`not ready`),
  ],
);

import { sql } from "drizzle-orm";
import { index, integer, pgTable, text } from "drizzle-orm/pg-core";
import { membershipKey, userReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

/**
 * `storing`: the transcript is there, and its meeting is being imported. `canceled`: deleted after it was started; what is left
 * tells only when its owner was last served.
 */
const TRANSCRIPTION_STATES = [
  "uploading",
  "queued",
  "transcribing",
  "storing",
  "completed",
  "failed",
  "canceled",
] as const;

/**
 * Uploaded recordings on their way to a meeting. The audio is in an encrypted file, whose key is here: deleting the row makes the
 * file unreadable. Backups and moves leave these rows out, because the files stay where they are.
 */
export const transcriptions = pgTable(
  "transcriptions",
  {
    id: id("id").primaryKey(),
    /** Owner of the future meeting. */
    userId: userReference().notNull(),
    workspaceId: id("workspace_id").notNull(),
    /** The caller who uploads, as JSON without owner and workspace: the meeting is imported in their name. */
    uploader: text("uploader").notNull(),
    /** Name of the file; null once the meeting has its title. */
    name: text("name"),
    /** When the file was last modified. */
    modifiedAt: instant("modified_at").notNull(),
    state: text("state", { enum: TRANSCRIPTION_STATES }).notNull().default("uploading"),
    /** Length of the audio in bytes. */
    size: integer("size").notNull(),
    /** Number of bytes of the audio that are safely stored. */
    received: integer("received").notNull().default(0),
    /** Length of the encrypted file that holds them. Anything behind was cut short by a crash. */
    stored: integer("stored").notNull().default(0),
    /** Length of its converted audio on disk, which is beside it. */
    converted: integer("converted").notNull().default(0),
    /** Days for which its audio is kept, as promised when the upload was created. Null: none is. */
    keepDays: integer("keep_days"),
    /** The file's key, encrypted; null once the audio is deleted. */
    fileKey: bytes("file_key"),
    /** ID of the key that encrypted it. */
    secretKeyId: text("secret_key_id").notNull(),
    /** Fencing token of the process that receives or transcribes it. */
    token: integer("token").notNull().default(0),
    /** Number of times that its transcription was started. */
    attempts: integer("attempts").notNull().default(0),
    /** Number of parts of a long recording; null until one was transcribed, for others, and at the end. */
    parts: integer("parts"),
    /** Number of them that were transcribed, or need not be. */
    partsHeard: integer("parts_heard").notNull().default(0),
    /** When it can be claimed: end of the lease, or next attempt. Null: an upload that nobody is sending, or it has ended. */
    dueAt: instant("due_at"),
    /** Start of the last attempt, or when its last part was transcribed; null before the first. */
    startedAt: instant("started_at"),
    /** Why it failed, one of the contract's reasons; null if it did not. */
    failure: text("failure"),
    /** The meeting; null until it is completed. */
    meetingId: id("meeting_id"),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
    /** When the row is deleted: an upload that was not finished, or a job that nobody could do, or its result. */
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    // Processes of the release before know nothing of this table when they move a member.
    membershipKey("transcriptions_of_member", table.userId, table.workspaceId).onUpdate("cascade"),
    index("transcriptions_of_user").on(table.userId, table.createdAt),
    index("transcriptions_of_workspace").on(table.workspaceId),
    index("transcriptions_due").on(table.dueAt).where(sql`due_at is not null`),
    index("transcriptions_by_expiry").on(table.expiresAt),
  ],
);

import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { recordingReference } from "./meetings.js";
import { creatorReference, userReference, workspaceReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

/**
 * Credentials of recorders, valid only for ingest. They have their own table so that a statement about API keys can't
 * return one.
 */
export const ingestKeys = pgTable(
  "ingest_keys",
  {
    id: id("id").primaryKey(),
    workspaceId: workspaceReference().notNull(),
    createdBy: creatorReference(),
    name: text("name").notNull(),
    /** SHA-256 of the whole credential. */
    hash: bytes("hash").notNull(),
    /** First characters, for display. */
    prefix: text("prefix").notNull(),
    /** Last four characters, for display. */
    lastFour: text("last_four").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
    /** Null: never used. Written at most once a minute. */
    lastUsedAt: instant("last_used_at"),
    /** Null: enabled. */
    disabledAt: instant("disabled_at"),
    /** Null: valid. A revoked credential can't be restored. */
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    uniqueIndex("ingest_keys_by_hash").on(table.hash),
    index("ingest_keys_of_workspace").on(table.workspaceId),
  ],
);

/** Drafts of recordings. Completing the recording deletes its draft, so content is stored only once. */
export const recordingDrafts = pgTable(
  "recording_drafts",
  {
    recordingId: recordingReference().primaryKey(),
    /** Owner of the future meeting. */
    userId: userReference().notNull(),
    /** The validated input as JSON: of the start while recording, of the whole meeting while processing. */
    content: text("content").notNull(),
    /** Reason of the failure; null if it didn't fail. */
    failure: text("failure"),
    /** Number of failed attempts to create a summary. */
    attempts: integer("attempts").notNull().default(0),
    /** When a worker can claim it: next attempt, or end of the lease; null unless processing. */
    dueAt: instant("due_at"),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
  },
  (table) => [
    index("drafts_of_user").on(table.userId),
    index("drafts_due").on(table.dueAt).where(sql`due_at is not null`),
  ],
);

import { sql } from "drizzle-orm";
import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { recordings } from "./meetings.js";
import { users, workspaces } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

/**
 * Credentials of recorders, which only ingest accepts. A table of its own, so that no statement about API keys
 * can take one for the other.
 */
export const ingestKeys = pgTable(
  "ingest_keys",
  {
    id: id("id").primaryKey(),
    workspaceId: id("workspace_id")
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    /** The user who created it; null once that user is deleted. */
    createdBy: id("created_by").references(() => users.id, { onDelete: "set null" }),
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
    /** Null: valid. Revoked for good otherwise. */
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    uniqueIndex("ingest_keys_by_hash").on(table.hash),
    index("ingest_keys_of_workspace").on(table.workspaceId),
  ],
);

/**
 * What is known of a recording that is not completed: gone with its completion, so that content lives in one
 * place only.
 */
export const recordingDrafts = pgTable(
  "recording_drafts",
  {
    recordingId: id("recording_id")
      .primaryKey()
      .references(() => recordings.id, { onDelete: "cascade" }),
    /** Whose meeting it will be. */
    userId: id("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** The validated input as JSON: of the start while recording, the whole meeting while processing. */
    content: text("content").notNull(),
    /** Why it failed; null unless it did. */
    failure: text("failure"),
    /** Attempts at a summary that failed. */
    attempts: integer("attempts").notNull().default(0),
    /** When a worker may take it, next attempt and lease alike; null unless processing. */
    dueAt: instant("due_at"),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
  },
  (table) => [
    index("drafts_of_user").on(table.userId),
    index("drafts_due").on(table.dueAt).where(sql`due_at is not null`),
  ],
);

import { boolean, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { meetingReference } from "./meetings.js";
import { workspaceReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

const PUBLIC_LINK_SCOPES = ["summary", "transcript"] as const;

/**
 * Links with which people outside read a meeting. Triggers delete them when the meeting changes its owner or workspace, and
 * when its summary is locked.
 * @see docs/decisions/0376-public-links.md
 */
export const publicLinks = pgTable(
  "public_links",
  {
    id: id("id").primaryKey(),
    /** SHA-256 of the token. */
    hash: bytes("hash").notNull(),
    meetingId: meetingReference().notNull(),
    /** The meeting's workspace. */
    workspaceId: workspaceReference().notNull(),
    scope: text("scope", { enum: PUBLIC_LINK_SCOPES }).notNull(),
    masksNames: boolean("masks_names").notNull(),
    /** Null: no password. */
    passwordHash: text("password_hash"),
    createdAt: instant("created_at").notNull().default(now),
    expiresAt: instant("expires_at").notNull(),
    views: integer("views").notNull().default(0),
    /** Null: nobody has seen the meeting yet. */
    lastViewedAt: instant("last_viewed_at"),
  },
  (table) => [
    uniqueIndex("public_links_by_hash").on(table.hash),
    index("public_links_of_meeting").on(table.meetingId),
    index("public_links_of_workspace").on(table.workspaceId, table.createdAt),
    index("public_links_by_expiry").on(table.expiresAt),
  ],
);

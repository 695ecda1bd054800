import { sql } from "drizzle-orm";
import {
  check,
  foreignKey,
  index,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { meetings } from "./meetings.js";
import { members, users } from "./people.js";
import { currentTransaction, transactionNumber } from "./sync.js";
import { id, instant, now } from "./types.js";

/**
 * A meeting shared with another member. Unlike a meeting, a share doesn't move with a member: the foreign keys prevent
 * leaving a workspace before the member's shares are deleted.
 */
export const meetingShares = pgTable(
  "meeting_shares",
  {
    userId: id("user_id").notNull(),
    meetingId: id("meeting_id").notNull(),
    ownerId: id("owner_id").notNull(),
    workspaceId: id("workspace_id").notNull(),
    startTime: instant("start_time").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    createdIn: transactionNumber("created_in").notNull().default(currentTransaction),
  },
  (table) => [
    primaryKey({ name: "shares_of_meeting", columns: [table.meetingId, table.userId] }),
    index("meetings_shared_with_user_by_start").on(table.userId, table.startTime, table.meetingId),
    index("meetings_shared_with_user_by_share").on(table.userId, table.createdIn, table.meetingId),
    index("meeting_shares_of_owner").on(table.ownerId, table.workspaceId),
    foreignKey({
      name: "shared_meeting_is_the_owners",
      columns: [table.meetingId, table.ownerId, table.startTime],
      foreignColumns: [meetings.id, meetings.userId, meetings.startTime],
    })
      .onUpdate("cascade")
      .onDelete("cascade"),
    foreignKey({
      name: "meeting_share_owner_is_a_member",
      columns: [table.ownerId, table.workspaceId],
      foreignColumns: [members.userId, members.workspaceId],
    }).onDelete("cascade"),
    foreignKey({
      name: "meeting_share_reader_is_a_member",
      columns: [table.userId, table.workspaceId],
      foreignColumns: [members.userId, members.workspaceId],
    }).onDelete("cascade"),
    check("meeting_share_is_with_another", sql`${table.userId} <> ${table.ownerId}`),
  ],
);

export const tags = pgTable(
  "tags",
  {
    id: id("id").primaryKey(),
    userId: id("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    name: text("name").notNull(),
    /** `#RRGGBB`. */
    color: text("color").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
    createdIn: transactionNumber("created_in").notNull().default(currentTransaction),
    changedIn: transactionNumber("changed_in").notNull().default(currentTransaction),
  },
  (table) => [
    uniqueIndex("tags_of_owner_by_name").on(table.userId, table.name),
    unique("tags_identity").on(table.id, table.userId),
    check("tags_color_is_hex", sql`${table.color} ~ '^#[0-9A-Fa-f]{6}$'`),
  ],
);

/** Only a meeting's owner tags it, with their own tags: both foreign keys include the owner. */
export const meetingTags = pgTable(
  "meeting_tags",
  {
    tagId: id("tag_id").notNull(),
    meetingId: id("meeting_id").notNull(),
    ownerId: id("owner_id").notNull(),
    startTime: instant("start_time").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    createdIn: transactionNumber("created_in").notNull().default(currentTransaction),
  },
  (table) => [
    primaryKey({ name: "tags_of_meeting", columns: [table.meetingId, table.tagId] }),
    index("meetings_of_tag_by_start").on(table.tagId, table.startTime, table.meetingId),
    index("meetings_of_tag_by_tagging").on(table.tagId, table.createdIn, table.meetingId),
    foreignKey({
      name: "tag_is_the_owners",
      columns: [table.tagId, table.ownerId],
      foreignColumns: [tags.id, tags.userId],
    }).onDelete("cascade"),
    foreignKey({
      name: "tagged_meeting_is_the_owners",
      columns: [table.meetingId, table.ownerId, table.startTime],
      foreignColumns: [meetings.id, meetings.userId, meetings.startTime],
    })
      .onUpdate("cascade")
      .onDelete("cascade"),
  ],
);

/** A tag shared with another member, together with every meeting that has the tag. Ends like a meeting's share. */
export const tagShares = pgTable(
  "tag_shares",
  {
    userId: id("user_id").notNull(),
    tagId: id("tag_id").notNull(),
    ownerId: id("owner_id").notNull(),
    workspaceId: id("workspace_id").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    createdIn: transactionNumber("created_in").notNull().default(currentTransaction),
  },
  (table) => [
    primaryKey({ name: "tags_shared_with_user", columns: [table.userId, table.tagId] }),
    index("shares_of_tag").on(table.tagId),
    index("tag_shares_of_owner").on(table.ownerId, table.workspaceId),
    foreignKey({
      name: "shared_tag_is_the_owners",
      columns: [table.tagId, table.ownerId],
      foreignColumns: [tags.id, tags.userId],
    }).onDelete("cascade"),
    foreignKey({
      name: "tag_share_owner_is_a_member",
      columns: [table.ownerId, table.workspaceId],
      foreignColumns: [members.userId, members.workspaceId],
    }).onDelete("cascade"),
    foreignKey({
      name: "tag_share_reader_is_a_member",
      columns: [table.userId, table.workspaceId],
      foreignColumns: [members.userId, members.workspaceId],
    }).onDelete("cascade"),
    check("tag_share_is_with_another", sql`${table.userId} <> ${table.ownerId}`),
  ],
);

import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
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
import { membershipKey, userReference, users } from "./people.js";
import { currentTransaction, transactionNumber } from "./sync.js";
import { id, instant, now } from "./types.js";

/** Creates the foreign key of a meeting that the row's owner owns. The row follows the meeting's start and deletion. */
const ownedMeetingKey = (name: string, row: Record<"meetingId" | "ownerId" | "startTime", AnyPgColumn>) =>
  foreignKey({
    name,
    columns: [row.meetingId, row.ownerId, row.startTime],
    foreignColumns: [meetings.id, meetings.userId, meetings.startTime],
  })
    .onUpdate("cascade")
    .onDelete("cascade");

/** Creates the foreign key of a tag that the row's owner owns. The row is deleted with the tag. */
const ownedTagKey = (name: string, row: Record<"tagId" | "ownerId", AnyPgColumn>) =>
  foreignKey({
    name,
    columns: [row.tagId, row.ownerId],
    foreignColumns: [tags.id, tags.userId],
  }).onDelete("cascade");

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
    ownedMeetingKey("shared_meeting_is_the_owners", table),
    membershipKey("meeting_share_owner_is_a_member", table.ownerId, table.workspaceId),
    membershipKey("meeting_share_reader_is_a_member", table.userId, table.workspaceId),
    check("meeting_share_is_with_another", sql`${table.userId} <> ${table.ownerId}`),
  ],
);

export const tags = pgTable(
  "tags",
  {
    id: id("id").primaryKey(),
    userId: userReference().notNull(),
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
    ownedTagKey("tag_is_the_owners", table),
    ownedMeetingKey("tagged_meeting_is_the_owners", table),
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
    ownedTagKey("shared_tag_is_the_owners", table),
    membershipKey("tag_share_owner_is_a_member", table.ownerId, table.workspaceId),
    membershipKey("tag_share_reader_is_a_member", table.userId, table.workspaceId),
    check("tag_share_is_with_another", sql`${table.userId} <> ${table.ownerId}`),
  ],
);

/**
 * A member's request to read a meeting of another. It counts only while both are in one workspace, and is deleted with the
 * share that grants it.
 */
export const accessRequests = pgTable(
  "access_requests",
  {
    meetingId: id("meeting_id")
      .notNull()
      .references(() => meetings.id, { onDelete: "cascade" }),
    userId: userReference().notNull(),
    /** The meeting's owner. */
    ownerId: id("owner_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    createdAt: instant("created_at").notNull().default(now),
    /** When the owner dismissed it; null while it is open. */
    dismissedAt: instant("dismissed_at"),
    /** When the owner's e-mail about it can be sent. Null: it was sent, or claimed for sending. */
    mailDueAt: instant("mail_due_at").default(now),
    expiresAt: instant("expires_at").notNull().default(sql`now() + interval '14 days'`),
  },
  (table) => [
    primaryKey({ name: "access_requests_of_meeting", columns: [table.meetingId, table.userId] }),
    index("access_requests_by_user").on(table.userId),
    index("access_requests_to_owner").on(table.ownerId, table.createdAt),
    index("access_requests_to_mail").on(table.createdAt).where(sql`mail_due_at is not null`),
    index("access_requests_by_expiry").on(table.expiresAt),
  ],
);

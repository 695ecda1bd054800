import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { id, instant, now } from "./types.js";

export const users = pgTable(
  "users",
  {
    id: id("id").primaryKey(),
    /** Stored in lower case. */
    email: text("email").notNull(),
    name: text("name").notNull(),
    /** True once a link that was only mailed to the address, or the company's provider, has confirmed it. */
    emailConfirmed: boolean("email_confirmed").notNull().default(true),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
  },
  (table) => [
    uniqueIndex("users_by_email").on(table.email),
    check("users_email_is_lower_case", sql`${table.email} = lower(${table.email})`),
  ],
);

export const workspaces = pgTable(
  "workspaces",
  {
    id: id("id").primaryKey(),
    name: text("name").notNull(),
    /** One of the contract's plans. */
    plan: text("plan").notNull().default("free"),
    /** Whether owners of meetings can create public links. */
    publicLinks: boolean("public_links").notNull().default(false),
    /** Days for which the audio of new meetings is kept; null: it is deleted when the meeting is stored. */
    audioDays: integer("audio_days"),
    /** The user this workspace was created for, who returns to it after leaving another; null once that user is gone. */
    ownerId: id("owner_id").references(() => users.id, { onDelete: "set null" }),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
  },
  (table) => [index("workspaces_by_owner").on(table.ownerId)],
);

/** Creates the column of the user who owns a row. The row is deleted with the user. */
export const userReference = () => id("user_id").references(() => users.id, { onDelete: "cascade" });
/** Creates the column of the workspace to which a row belongs. The row is deleted with the workspace. */
export const workspaceReference = () =>
  id("workspace_id").references(() => workspaces.id, { onDelete: "cascade" });
/** Creates the column of the user who created a row; null once that user is deleted. */
export const creatorReference = () => id("created_by").references(() => users.id, { onDelete: "set null" });

export const ROLES = ["admin", "member"] as const;
export type Role = (typeof ROLES)[number];

/**
 * The one workspace of each user. Everything visible to a workspace references this pair of columns with `ON UPDATE
 * CASCADE`: moving a user moves it in the same statement, and the database refuses anything else.
 */
export const members = pgTable(
  "members",
  {
    userId: userReference().primaryKey(),
    workspaceId: id("workspace_id")
      .notNull()
      .references(() => workspaces.id),
    role: text("role", { enum: ROLES }).notNull(),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
  },
  (table) => [
    unique("members_place").on(table.userId, table.workspaceId),
    index("members_of_workspace").on(table.workspaceId, table.userId),
  ],
);

/** Creates the foreign key of a user and their workspace. The row is deleted with the membership. */
export const membershipKey = (name: string, userId: AnyPgColumn, workspaceId: AnyPgColumn) =>
  foreignKey({
    name,
    columns: [userId, workspaceId],
    foreignColumns: [members.userId, members.workspaceId],
  }).onDelete("cascade");

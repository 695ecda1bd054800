import { sql } from "drizzle-orm";
import { boolean, check, index, pgTable, text, unique, uniqueIndex } from "drizzle-orm/pg-core";
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
    /** The user this workspace was created for, who returns to it after leaving another; null once that user is gone. */
    ownerId: id("owner_id").references(() => users.id, { onDelete: "set null" }),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
  },
  (table) => [index("workspaces_by_owner").on(table.ownerId)],
);

export const ROLES = ["admin", "member"] as const;
export type Role = (typeof ROLES)[number];

/**
 * The one workspace of each user. Everything visible to a workspace references this pair of columns with `ON UPDATE
 * CASCADE`: moving a user moves it in the same statement, and the database refuses anything else.
 */
export const members = pgTable(
  "members",
  {
    userId: id("user_id")
      .primaryKey()
      .references(() => users.id, { onDelete: "cascade" }),
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

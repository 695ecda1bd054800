import { sql } from "drizzle-orm";
import { boolean, check, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { userReference, workspaceReference } from "./people.js";
import { id, instant, now } from "./types.js";

/** What a model is told about summaries: a user's own list, and a workspace's (team) list. */
export const summaryInstructions = pgTable(
  "summary_instructions",
  {
    id: id("id").primaryKey(),
    /** The user of a personal list; null for a team's. */
    userId: userReference(),
    /** The workspace of a team list; null for a personal one. */
    workspaceId: workspaceReference(),
    name: text("name").notNull(),
    /** Empty: nothing but the language is asked for. */
    prompt: text("prompt").notNull(),
    /** A language code; null: as spoken. */
    language: text("language"),
    /** Name of the tag whose meetings it is for; null: none. */
    tag: text("tag"),
    /** Word of the title whose meetings it is for; null: none. */
    word: text("word"),
    /** True: it is for all meetings that no other instruction is for. */
    isDefault: boolean("is_default").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
  },
  (table) => [
    uniqueIndex("instructions_of_user").on(table.userId, table.name),
    uniqueIndex("instructions_of_workspace").on(table.workspaceId, table.name),
    uniqueIndex("default_instruction_of_user").on(table.userId).where(sql`is_default`),
    uniqueIndex("default_instruction_of_workspace").on(table.workspaceId).where(sql`is_default`),
    check("instruction_has_one_holder", sql`(${table.userId} is null) <> (${table.workspaceId} is null)`),
  ],
);

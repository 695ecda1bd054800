import { sql } from "drizzle-orm";
import { check, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { userReference, workspaceReference } from "./people.js";
import { id, instant, now } from "./types.js";

/** Terms for the transcriber: a user's own list, and a workspace's (team) list. */
export const vocabularyTerms = pgTable(
  "vocabulary_terms",
  {
    id: id("id").primaryKey(),
    /** The user of a personal list; null for a team's. */
    userId: userReference(),
    /** The workspace of a team list; null for a personal one. */
    workspaceId: workspaceReference(),
    term: text("term").notNull(),
    createdAt: instant("created_at").notNull().default(now),
  },
  (table) => [
    uniqueIndex("vocabulary_of_user").on(table.userId, table.term),
    uniqueIndex("vocabulary_of_workspace").on(table.workspaceId, table.term),
    check("vocabulary_has_one_holder", sql`(${table.userId} is null) <> (${table.workspaceId} is null)`),
  ],
);

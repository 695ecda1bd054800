import { foreignKey, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { meetings } from "./meetings.js";
import { id, tsvector } from "./types.js";

/** Excerpts of a meeting, in order, of about 200 words each: what search finds and shows. */
export const searchChunks = pgTable(
  "search_chunks",
  {
    meetingId: id("meeting_id").notNull(),
    position: integer("position").notNull(),
    text: text("text").notNull(),
    words: tsvector("words").notNull(),
  },
  (table) => [
    primaryKey({ name: "chunks_of_meeting", columns: [table.meetingId, table.position] }),
    foreignKey({
      name: "chunks_leave_with_their_meeting",
      columns: [table.meetingId],
      foreignColumns: [meetings.id],
    }).onDelete("cascade"),
    index("chunks_by_word").using("gin", table.words),
  ],
);

import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { meetings } from "./meetings.js";
import { bytes, id, instant } from "./types.js";

/** How new meetings are read; one row. Each meeting keeps what it was read with until it is indexed again. */
export const searchSettings = pgTable(
  "search_settings",
  {
    only: boolean("only").primaryKey().default(true),
    /** A text-search configuration of the database. */
    language: text("language").notNull().default("english"),
    /** What `minutes embeddings` chose: `builtin`, `off` or a downloaded model. Null: the default of the language. */
    model: text("model"),
  },
  (table) => [check("search_settings_is_one_row", sql`${table.only}`)],
);

/**
 * Chunks of a meeting, in order, of about 200 words each: what search finds and shows. No foreign key, as with the turns of
 * transcripts: a trigger on `meetings` takes them away with their meeting.
 */
export const searchChunks = pgTable(
  "search_chunks",
  {
    meetingId: id("meeting_id").notNull(),
    position: integer("position").notNull(),
    text: text("text").notNull(),
    /** Places in the transcript of its first and last segment; null where it was indexed before they were kept. */
    firstTurn: integer("first_turn"),
    lastTurn: integer("last_turn"),
  },
  (table) => [primaryKey({ name: "chunks_of_meeting", columns: [table.meetingId, table.position] })],
);

/** A meeting as search knows it. */
export const searchDocuments = pgTable(
  "search_documents",
  {
    meetingId: id("meeting_id")
      .primaryKey()
      .references(() => meetings.id, { onDelete: "cascade" }),
    /** A short name for the many rows of postings. */
    document: integer("document").notNull().generatedAlwaysAsIdentity().unique("documents_by_number"),
    /** How many chunks it has. */
    chunks: smallint("chunks").notNull(),
    /** With which configuration, and by which version of the ranking, its postings were made. */
    language: text("language").notNull(),
    version: smallint("version").notNull(),
    /** What its vectors can be compared with; null while it has none. */
    space: text("space"),
    /** Until when a worker is making its vectors; null when none is. */
    leasedUntil: instant("leased_until"),
  },
  (table) => [
    index("documents_by_settings").on(table.version, table.language),
    index("documents_without_vectors").on(table.document).where(sql`${table.space} is null`),
  ],
);

/**
 * One row for each term of each meeting, with its weight in each chunk: the whole lexical index. A caller's rows
 * are reached meeting by meeting, so what other tenants store costs nothing. Rows of one meeting are written
 * together and lie together. No foreign key, whose check of each row would cost more than the row: a trigger on
 * `search_documents` takes them away with their meeting.
 */
export const searchPostings = pgTable(
  "search_postings",
  {
    document: integer("document").notNull(),
    term: id("term").notNull(),
    /** How many chunks contain the term. */
    chunks: smallint("chunks").notNull(),
    /** The highest of the weights. */
    best: smallint("best").notNull(),
    /** The first chunk of `weights`. */
    first: smallint("first").notNull(),
    /** One byte for each chunk from `first` on. */
    weights: bytes("weights").notNull(),
    /** Where the term is said: chunk × 512 + position in it. */
    places: integer("places").array().notNull(),
  },
  (table) => [primaryKey({ name: "postings_of_document", columns: [table.document, table.term] })],
);

/** Who speaks in a meeting, and how much of each chunk they say. Leaves with its meeting as postings do. */
export const searchSpeakers = pgTable(
  "search_speakers",
  {
    document: integer("document").notNull(),
    speaker: smallint("speaker").notNull(),
    /** The lexemes of the name. */
    name: text("name").array().notNull(),
    /** The first chunk of `shares`. */
    first: smallint("first").notNull(),
    /** For each chunk from `first` on, the speaker's share of its words, 255 being all. */
    shares: bytes("shares").notNull(),
  },
  (table) => [primaryKey({ name: "speakers_of_document", columns: [table.document, table.speaker] })],
);

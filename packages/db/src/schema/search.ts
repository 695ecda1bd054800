import { sql } from "drizzle-orm";
import { boolean, check, index, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { meetingReference } from "./meetings.js";
import { bytes, id, instant } from "./types.js";

/** Settings for indexing new meetings; one row. Each meeting keeps its settings until it is indexed again. */
export const searchSettings = pgTable(
  "search_settings",
  {
    only: boolean("only").primaryKey().default(true),
    /** A text-search configuration of the database. */
    language: text("language").notNull().default("english"),
    /**
     * The choice made with `minutes embeddings`: `builtin`, `off` or a downloaded model. Null: the language's default.
     */
    model: text("model"),
    /** The vector space of the processes that create vectors. Null: none has started yet. */
    space: text("space"),
    /** When another model's process may take over, unless a process of this space renews it. Null: no space. */
    spaceUntil: instant("space_until"),
  },
  (table) => [check("search_settings_is_one_row", sql`${table.only}`)],
);

/**
 * Chunks of a meeting in order, about 200 words each: the unit that search finds and returns. Those of the transcript
 * start at position 0, those of the notes at 16384. No foreign key, as for transcripts: a trigger on `meetings` deletes
 * them.
 */
export const searchChunks = pgTable(
  "search_chunks",
  {
    meetingId: id("meeting_id").notNull(),
    position: integer("position").notNull(),
    text: text("text").notNull(),
    /** Positions of its first and last segment in the transcript; null for notes. */
    firstTurn: integer("first_turn"),
    lastTurn: integer("last_turn"),
  },
  (table) => [primaryKey({ name: "chunks_of_meeting", columns: [table.meetingId, table.position] })],
);

/**
 * A part of a meeting in the search index: its transcript, or its notes (title, summary and tasks). A trigger deletes the
 * notes when a summary, task or attendee changes; they are indexed again in the same transaction.
 */
export const searchDocuments = pgTable(
  "search_documents",
  {
    meetingId: meetingReference().notNull(),
    /** Position of its first chunk: 0 for the transcript, 16384 for the notes. */
    firstChunk: smallint("first_chunk").notNull().default(0),
    /** A short id for the many rows of postings. */
    document: integer("document").notNull().generatedAlwaysAsIdentity().unique("documents_by_number"),
    /** Number of chunks. */
    chunks: smallint("chunks").notNull(),
    /** The configuration and ranking version its postings were built with. */
    language: text("language").notNull(),
    version: smallint("version").notNull(),
    /** The vector space of its vectors; null if it has none. */
    space: text("space"),
    /** End of the lease of the worker that creates its vectors; null if there is none. */
    leasedUntil: instant("leased_until"),
  },
  (table) => [
    primaryKey({ name: "documents_of_meeting", columns: [table.meetingId, table.firstChunk] }),
    index("documents_by_settings").on(table.version, table.language),
    index("documents_by_space").on(table.space, table.document),
  ],
);

/**
 * The lexical index: one row per term and meeting, with the term's weight in each chunk. A caller's rows are read
 * meeting by meeting, so other tenants' data costs nothing. A meeting's rows are written together and stored together.
 * No foreign key, whose check would cost more than the row: a trigger on `search_documents` deletes them.
 */
export const searchPostings = pgTable(
  "search_postings",
  {
    document: integer("document").notNull(),
    term: id("term").notNull(),
    /** Number of chunks that contain the term. */
    chunks: smallint("chunks").notNull(),
    /** The maximum of the weights. */
    best: smallint("best").notNull(),
    /** Index of the first chunk in `weights`. */
    first: smallint("first").notNull(),
    /** One byte per chunk, starting with `first`. */
    weights: bytes("weights").notNull(),
    /** Occurrences: chunk × 512 + position in the chunk. */
    places: integer("places").array().notNull(),
  },
  (table) => [primaryKey({ name: "postings_of_document", columns: [table.document, table.term] })],
);

/** Speakers of a meeting and their share of each chunk. Deleted with the meeting, as postings are. */
export const searchSpeakers = pgTable(
  "search_speakers",
  {
    document: integer("document").notNull(),
    speaker: smallint("speaker").notNull(),
    /** The lexemes of the name. */
    name: text("name").array().notNull(),
    /** Index of the first chunk in `shares`. */
    first: smallint("first").notNull(),
    /** The speaker's share of the words of each chunk, starting with `first`; 255 means all. */
    shares: bytes("shares").notNull(),
  },
  (table) => [primaryKey({ name: "speakers_of_document", columns: [table.document, table.speaker] })],
);

import { sql } from "drizzle-orm";
import {
  bigserial,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { meetings } from "./meetings.js";
import { workspaces } from "./people.js";
import { bytes, id, instant } from "./types.js";

/** How new meetings are read; one row. Each meeting keeps what it was read with until it is indexed again. */
export const searchSettings = pgTable(
  "search_settings",
  {
    only: boolean("only").primaryKey().default(true),
    /** A text-search configuration of the database. */
    language: text("language").notNull().default("english"),
  },
  (table) => [check("search_settings_is_one_row", sql`${table.only}`)],
);

/** Excerpts of a meeting, in order, of about 200 words each: what search finds and shows. */
export const searchChunks = pgTable(
  "search_chunks",
  {
    meetingId: id("meeting_id").notNull(),
    position: integer("position").notNull(),
    text: text("text").notNull(),
  },
  (table) => [
    primaryKey({ name: "chunks_of_meeting", columns: [table.meetingId, table.position] }),
    foreignKey({
      name: "chunks_leave_with_their_meeting",
      columns: [table.meetingId],
      foreignColumns: [meetings.id],
    }).onDelete("cascade"),
  ],
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
    /** How many excerpts it has. */
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
 * One row for each term of each meeting, with its weight in each excerpt: the whole lexical index. A caller's rows
 * are reached meeting by meeting, so what other tenants store costs nothing. Rows of one meeting are written
 * together and lie together. No foreign key, whose check of each row would cost more than the row: a trigger on
 * `search_documents` takes them away with their meeting.
 */
export const searchPostings = pgTable(
  "search_postings",
  {
    document: integer("document").notNull(),
    term: id("term").notNull(),
    /** How many excerpts contain the term. */
    chunks: smallint("chunks").notNull(),
    /** The highest of the weights. */
    best: smallint("best").notNull(),
    /** The first excerpt of `weights`. */
    first: smallint("first").notNull(),
    /** One byte for each excerpt from `first` on. */
    weights: bytes("weights").notNull(),
    /** Where the term is said: excerpt × 512 + position in it. */
    places: integer("places").array().notNull(),
  },
  (table) => [primaryKey({ name: "postings_of_document", columns: [table.document, table.term] })],
);

/** Who speaks in a meeting, and how much of each excerpt is his. Leaves with its meeting as postings do. */
export const searchSpeakers = pgTable(
  "search_speakers",
  {
    document: integer("document").notNull(),
    speaker: smallint("speaker").notNull(),
    /** The lexemes of the name. */
    name: text("name").array().notNull(),
    /** The first excerpt of `shares`. */
    first: smallint("first").notNull(),
    /** For each excerpt from `first` on, the speaker's share of its words, 255 being all. */
    shares: bytes("shares").notNull(),
  },
  (table) => [primaryKey({ name: "speakers_of_document", columns: [table.document, table.speaker] })],
);

/**
 * Workspaces whose meetings have changed since vectors were last learnt from them; written by triggers, since a
 * deletion reaches the meetings on many ways. Rows only come and go, so that no import waits for another; whoever
 * learns takes them away, and so does a server that doesn't.
 */
export const searchChanges = pgTable("search_changes", {
  id: bigserial("id", { mode: "number" }).primaryKey(),
  workspaceId: id("workspace_id").notNull(),
  /** Words have left the workspace, so that what was learnt from them has to go. */
  gone: boolean("gone").notNull().default(false),
  at: instant("at").notNull().default(sql`now()`),
});

/** What has been learnt from a workspace's meetings. Its words and their vectors are in `search_terms`. */
export const searchLearning = pgTable("search_learning", {
  workspaceId: id("workspace_id")
    .primaryKey()
    .references(() => workspaces.id, { onDelete: "cascade" }),
  /** The attempt whose vectors are in use; 0 while there are none. */
  generation: integer("generation").notNull(),
  /** Counts the times that somebody began to learn: one whose number is no longer this has lost its lease. */
  attempt: integer("attempt").notNull(),
  /** Until when a worker is learning; null when none is, in the past when one was cut short. */
  leasedUntil: instant("leased_until"),
  /** When the last attempt ended, and how many milliseconds it took; null before the first. */
  finishedAt: instant("finished_at"),
  cost: integer("cost"),
});

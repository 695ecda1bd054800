import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { meetingReference } from "./meetings.js";
import { userReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

const CALENDAR_FAULTS = [
  "blocked",
  "connection",
  "status",
  "redirect",
  "tooLarge",
  "notCalendar",
  "tooComplex",
  "key",
] as const;

/**
 * The calendar that a user subscribed to by its address, which is a secret.
 * @see docs/decisions/0385-calendars.md
 */
export const calendars = pgTable(
  "calendars",
  {
    userId: userReference().primaryKey(),
    /** The encrypted address. */
    secret: bytes("secret").notNull(),
    secretKeyId: text("secret_key_id").notNull(),
    /** The address's host, which is shown. */
    host: text("host").notNull(),
    /** What the server sent with the calendar, to ask only for a newer one; null if it sent none. */
    etag: text("etag"),
    lastModified: text("last_modified"),
    /** Hash of the stored events, so that an unchanged calendar writes nothing; null before the first. */
    contentHash: bytes("content_hash"),
    /** When it is read next, or until when a process reads it. */
    dueAt: instant("due_at").notNull().default(now),
    /** The fencing token of the lease. */
    lease: integer("lease").notNull().default(0),
    /** When it was last read; null: not yet. */
    syncedAt: instant("synced_at"),
    /** When its events were last parsed; null: not yet. */
    parsedAt: instant("parsed_at"),
    /** Why it could not be read last time; null if it could. */
    fault: text("fault", { enum: CALENDAR_FAULTS }),
    /** Failures since it was last read. */
    failures: integer("failures").notNull().default(0),
    /** When its user was told by e-mail that it fails; null: not since it was last read. */
    mailedAt: instant("mailed_at"),
    /** When a meeting of its user was completed that may be one of its events; null: all are matched. */
    matchDueAt: instant("match_due_at"),
    createdAt: instant("created_at").notNull().default(now),
  },
  (table) => [
    index("calendars_by_due").on(table.dueAt),
    index("calendars_to_match").on(table.matchDueAt).where(sql`match_due_at is not null`),
  ],
);

/** The events of users' calendars around the present. Replaced whenever the calendar has changed. */
export const calendarEntries = pgTable(
  "calendar_entries",
  {
    userId: id("user_id")
      .notNull()
      .references(() => calendars.userId, { onDelete: "cascade" }),
    /** Derived from `uid` and the occurrence, so that it stays the same. */
    id: id("id").notNull(),
    /** The calendar's own ID of the event, the same for all occurrences of a series. */
    uid: text("uid").notNull(),
    title: text("title").notNull(),
    startTime: instant("start_time").notNull(),
    endTime: instant("end_time").notNull(),
    allDay: boolean("all_day").notNull(),
    /** The invited people as JSON, as the contract's attendees. */
    attendees: text("attendees").notNull(),
  },
  (table) => [
    primaryKey({ name: "entries_of_calendar", columns: [table.userId, table.id] }),
    index("calendar_entries_by_start").on(table.userId, table.startTime, table.id),
  ],
);

/** Meetings whose event was filled from their owner's calendar, or must not be. */
export const calendarLinks = pgTable("calendar_links", {
  meetingId: meetingReference().primaryKey(),
  /** `meetings.calendar_event_id` as it was filled; null: the owner unlinked it, so it stays unlinked. */
  eventId: id("event_id"),
});

import { sql } from "drizzle-orm";
import { bigint, date, index, pgTable, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { meetings } from "./meetings.js";
import { userReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

const kind = () => text("kind", { enum: ["meeting", "week"] }).notNull();

/** The e-mails about meetings that users asked for. */
export const digestSubscriptions = pgTable(
  "digest_subscriptions",
  {
    userId: userReference().notNull(),
    kind: kind(),
    createdAt: instant("created_at").notNull().default(now),
  },
  (table) => [primaryKey({ name: "digests_of_user", columns: [table.userId, table.kind] })],
);

/**
 * E-mails about meetings, without content: waiting, or sent. A row stays after its e-mail was sent, so that none is sent
 * twice and the e-mail's link works.
 */
export const digests = pgTable(
  "digests",
  {
    id: bigint("id", { mode: "bigint" }).primaryKey().generatedAlwaysAsIdentity(),
    userId: userReference().notNull(),
    kind: kind(),
    /** The Monday on which it is sent; null: it is about a meeting. */
    week: date("week"),
    /** Null once the meeting is deleted, and for a week. */
    meetingId: id("meeting_id").references(() => meetings.id, { onDelete: "set null" }),
    createdAt: instant("created_at").notNull().default(now),
    /** When it can be sent. Null: it was sent, or claimed for sending. */
    dueAt: instant("due_at").default(now),
    /** SHA-256 of the token with which the reader unsubscribes; null until it is claimed. */
    tokenHash: bytes("token_hash"),
    /** When the token ends. */
    expiresAt: instant("expires_at").notNull().default(sql`now() + interval '90 days'`),
  },
  (table) => [
    uniqueIndex("digests_once").on(table.userId, table.meetingId),
    uniqueIndex("digests_once_a_week").on(table.userId, table.week),
    index("digests_of_meeting").on(table.meetingId),
    index("digests_to_send").on(table.createdAt).where(sql`due_at is not null`),
    uniqueIndex("digests_by_token").on(table.tokenHash),
    index("digests_by_expiry").on(table.expiresAt),
  ],
);

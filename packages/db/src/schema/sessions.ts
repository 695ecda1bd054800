import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { userReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

const SESSION_KINDS = ["browser", "token"] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/**
 * Sessions: of a browser, by cookie, or of a program, by token. Deleting a row ends the session immediately on every
 * process. Only a hash of the cookie or token is stored.
 */
export const sessions = pgTable(
  "sessions",
  {
    id: id("id").primaryKey(),
    userId: userReference().notNull(),
    kind: text("kind", { enum: SESSION_KINDS }).notNull(),
    /** SHA-256 of the whole cookie value or token. */
    hash: bytes("hash").notNull(),
    /** Name by which the user recognizes it, such as the browser; null if unknown. */
    label: text("label"),
    createdAt: instant("created_at").notNull().default(now),
    /** Written at most once a minute. */
    lastUsedAt: instant("last_used_at").notNull().default(now),
    /** Idle timeout in seconds; null: none. */
    idleSeconds: integer("idle_seconds"),
    /** When it ends, however much it is used. */
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("sessions_by_hash").on(table.hash),
    index("sessions_of_user").on(table.userId),
    index("sessions_by_expiry").on(table.expiresAt),
  ],
);

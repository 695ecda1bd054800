import { index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { users } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

export const SESSION_KINDS = ["browser", "token"] as const;
export type SessionKind = (typeof SESSION_KINDS)[number];

/**
 * Sign-ins: of a browser, by a cookie, or of a program, by a token. Deleting a row ends the sign-in at once on every
 * process. The cookie's or token's value is stored nowhere: only its hash.
 */
export const sessions = pgTable(
  "sessions",
  {
    id: id("id").primaryKey(),
    userId: id("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    kind: text("kind", { enum: SESSION_KINDS }).notNull(),
    /** SHA-256 of the whole cookie value or token. */
    hash: bytes("hash").notNull(),
    /** By which the user recognises it, such as a browser's name; null when nothing is known. */
    label: text("label"),
    createdAt: instant("created_at").notNull().default(now),
    /** Written at most once a minute. */
    lastUsedAt: instant("last_used_at").notNull().default(now),
    /** Seconds without use after which it ends; null: it ends at `expiresAt` alone. */
    idleSeconds: integer("idle_seconds"),
    /** Ends then, however much it is used. */
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("sessions_by_hash").on(table.hash),
    index("sessions_of_user").on(table.userId),
    index("sessions_by_expiry").on(table.expiresAt),
  ],
);

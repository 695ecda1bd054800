import { type SQL, sql } from "drizzle-orm";
import {
  bigint,
  bigserial,
  boolean,
  customType,
  index,
  pgTable,
  primaryKey,
  text,
} from "drizzle-orm/pg-core";
import { id, instant, now } from "./types.js";

/**
 * Creates a column for a transaction number, which orders changes. Numbers grow with transaction ids, and keep growing
 * after a dump is restored into another cluster.
 * @see docs/decisions/0160-change-feed.md
 */
export const transactionNumber = (name: string) => bigint(name, { mode: "number" });

const numberRanges = customType<{ data: string }>({ dataType: () => "int8multirange" });

/** The number of the current transaction. */
export const currentTransaction: SQL = sql`transaction_number()`;

/**
 * Records lost visibility, without content. Triggers write one row for each way in which a meeting or tag reached its
 * readers. `scope` names the way:
 * - `workspace:<id>`: the meeting's owner left the workspace, or the meeting was deleted.
 * - `user:<id>`: the user's own meeting or tag was deleted, or its share with the user ended.
 * - `tag:<id>`: the meeting lost the tag.
 * - `meeting:<id>`: the task was deleted, alone or with its meeting.
 */
export const syncRemovals = pgTable(
  "sync_removals",
  {
    scope: text("scope").notNull(),
    type: text("type", { enum: ["meeting", "tag", "task"] }).notNull(),
    id: id("id").notNull(),
    /** The transaction that ended it. */
    changedIn: transactionNumber("changed_in").notNull(),
    /**
     * Ranges of transaction numbers during which it was visible this way. Readers whose last read was outside of them
     * never received it. There can be several ranges, because visibility can end and return before it ends for good.
     */
    visible: numberRanges("visible").notNull(),
    /** False: only access ended. */
    deleted: boolean("deleted").notNull(),
    at: instant("at").notNull().default(now),
  },
  (table) => [
    primaryKey({ name: "sync_removals_of_scope", columns: [table.scope, table.type, table.id] }),
    index("sync_removals_by_change").on(table.scope, table.type, table.changedIn, table.id),
    index("sync_removals_by_age").on(table.at),
  ],
);

/**
 * One row for each time a process opened the database. A cursor names the last one before it. After a restore from a
 * backup, that start is missing or was followed by another, so the cursor is refused instead of skipping what the
 * backup lacks.
 */
export const syncStarts = pgTable("sync_starts", {
  id: bigserial("id", { mode: "number" }).primaryKey(),
  /** Random, so a restored database never generates the same one again. */
  key: text("key").notNull().unique(),
  /** Identifies the cluster, the database and this table. All change when a dump is restored. */
  source: text("source").notNull(),
  number: transactionNumber("number").notNull(),
  at: instant("at").notNull().default(now),
});

/**
 * Whether anyone waits for changes, and until when. Only then do writes notify, because PostgreSQL serializes the
 * commits of transactions that notify. At most one row.
 * @see docs/decisions/0160-change-feed.md
 */
export const syncWaits = pgTable("sync_waits", {
  only: boolean("only").primaryKey().default(true),
  until: instant("until").notNull(),
});

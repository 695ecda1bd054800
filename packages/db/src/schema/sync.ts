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
 * Creates a column for the number of a transaction, to order changes by. Numbers grow with the transactions' ids, and go on
 * growing after a dump is restored into another cluster.
 * @see docs/decisions/0160-the-change-feed.md
 */
export const transactionNumber = (name: string) => bigint(name, { mode: "number" });

const numberRanges = customType<{ data: string }>({ dataType: () => "int8multirange" });

/** The number of the transaction that writes a row. */
export const currentTransaction: SQL = sql`transaction_number()`;

/**
 * Records what somebody could see and can't see any more, without content. Triggers write these rows, one for each way by which
 * a meeting or tag reached its readers. `scope` names the way:
 * - `workspace:<id>`: the meeting's owner left the workspace, or the meeting was deleted.
 * - `user:<id>`: the user's own meeting or tag was deleted, or its share with the user ended.
 * - `tag:<id>`: the meeting lost the tag.
 * - `meeting:<id>`: the task was deleted with its meeting.
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
     * The numbers of transactions after which it was visible in this way. Who last read after another one doesn't have it:
     * something can be visible, go, and come back, before it goes for good.
     */
    visible: numberRanges("visible").notNull(),
    /** False: only the access ended. */
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
 * Records each time that a process opened the database. A cursor names the last one before it. After a restore from a backup, it
 * names one that never was, or one that another followed before the cursor: it would skip what the backup lacks.
 */
export const syncStarts = pgTable("sync_starts", {
  id: bigserial("id", { mode: "number" }).primaryKey(),
  /** Random: a restored database does not give the same one again. */
  key: text("key").notNull().unique(),
  /** Identifies the cluster, the database and this table: each differs after a dump was restored. */
  source: text("source").notNull(),
  number: transactionNumber("number").notNull(),
  at: instant("at").notNull().default(now),
});

/**
 * Says whether somebody waits for changes: until when. Writes notify only then, because PostgreSQL lets one transaction at a
 * time commit that has notified. At most one row.
 * @see docs/decisions/0184-who-is-woken.md
 */
export const syncWaits = pgTable("sync_waits", {
  only: boolean("only").primaryKey().default(true),
  until: instant("until").notNull(),
});

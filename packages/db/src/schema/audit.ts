import { sql } from "drizzle-orm";
import { bigserial, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, instant, now } from "./types.js";

/** Records who did what to which object, and when; never content. */
export const auditLog = pgTable(
  "audit_log",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    at: instant("at").notNull().default(now),
    /** A user's id, a key's id for a call through the API, or `operator` for the command line. */
    actor: id("actor").notNull(),
    action: text("action").notNull(),
    /** An id; for `….new-network` the network from which a key was used, such as `192.0.2.0/24`. */
    object: id("object").notNull(),
    /** The workspace that somebody joined or left; null for all other actions. Its row may be gone. */
    workspaceId: id("workspace_id"),
    /** The workspace whose admins may read the entry. Null: the operator alone. Its row may be gone. */
    shownIn: id("shown_in"),
  },
  (table) => [
    index("audit_log_by_time").on(table.at),
    // A network of a key is recorded once, whichever process sees it.
    uniqueIndex("audit_log_networks")
      .on(table.actor, table.object)
      .where(sql`${table.action} in ('key.new-network', 'ingest-key.new-network')`),
    // An admin's page of the log.
    index("audit_log_shown_in").on(table.shownIn, table.id),
  ],
);

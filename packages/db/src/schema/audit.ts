import { sql } from "drizzle-orm";
import { bigserial, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { id, instant, now } from "./types.js";

/** Sign-in methods. `invitation` and `setup` also create the account. */
const SIGN_IN_METHODS = ["password", "link", "passkey", "oidc", "setup", "invitation"] as const;
export type SignInMethod = (typeof SIGN_IN_METHODS)[number];

/** Who did what to which object, and when. Never content. */
export const auditLog = pgTable(
  "audit_log",
  {
    id: bigserial("id", { mode: "number" }).primaryKey(),
    at: instant("at").notNull().default(now),
    /**
     * A user's id, a key's id for an API call, `operator` for the command line, or `anonymous` for a failed sign-in.
     */
    actor: id("actor").notNull(),
    action: text("action").notNull(),
    /** An id. For `….new-network`, the network a key was used from, such as `192.0.2.0/24`. */
    object: id("object").notNull(),
    /**
     * The workspace that somebody joined or left, that a deleted account was in, or that a retention rule is for; null for other
     * actions. Its row may be gone.
     */
    workspaceId: id("workspace_id"),
    /** The workspace whose admins can read the entry. Null: only the operator. Its row may be gone. */
    shownIn: id("shown_in"),
    /** Sign-in method; null for other actions, and for sessions created by the operator. */
    method: text("method", { enum: SIGN_IN_METHODS }),
    /** Network of the sign-in, such as `192.0.2.0/24`; null if `method` is, or if the address is unknown. */
    network: text("network"),
  },
  (table) => [
    index("audit_log_by_time").on(table.at),
    // A key's network is recorded once, even if several processes see it.
    uniqueIndex("audit_log_networks")
      .on(table.actor, table.object)
      .where(sql`${table.action} in ('key.new-network', 'ingest-key.new-network')`),
    // A page of the log for an admin.
    index("audit_log_shown_in").on(table.shownIn, table.id),
  ],
);

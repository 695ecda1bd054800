import { index, pgTable, text } from "drizzle-orm/pg-core";
import { userReference, workspaceReference } from "./people.js";
import { bytes, id, instant } from "./types.js";

/** The `Idempotency-Key` of creates, for 24 hours. Exactly one of user and workspace is set: the caller. */
export const idempotencyKeys = pgTable(
  "idempotency_keys",
  {
    /** SHA-256 of the caller, route and key. */
    hash: bytes("hash").primaryKey(),
    userId: userReference(),
    workspaceId: workspaceReference(),
    /** SHA-256 of the body and the parameters in the path. */
    fingerprint: bytes("fingerprint").notNull(),
    /** Identifies the call that runs, so that a late one can't write the answer of another. */
    claim: id("claim").notNull(),
    /** The answer as JSON, without secrets and names; null while the call runs. */
    answer: text("answer"),
    /** When another call can take over, unless there is an answer. */
    leasedUntil: instant("leased_until").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("idempotency_keys_of_user").on(table.userId),
    index("idempotency_keys_of_workspace").on(table.workspaceId),
    index("idempotency_keys_by_expiry").on(table.expiresAt),
  ],
);

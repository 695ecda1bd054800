import { sql } from "drizzle-orm";
import { check, index, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { creatorReference, userReference, workspaceReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

const KEY_KINDS = ["personal", "workspace"] as const;
export type KeyKind = (typeof KEY_KINDS)[number];

/** API keys. Only a key's hash is stored, and a few characters to recognize it in a list. */
export const apiKeys = pgTable(
  "api_keys",
  {
    id: id("id").primaryKey(),
    kind: text("kind", { enum: KEY_KINDS }).notNull(),
    /** A personal key's owner; null for a workspace key. */
    userId: userReference(),
    /** A workspace key's workspace; null for a personal key, which moves with its owner. */
    workspaceId: workspaceReference(),
    createdBy: creatorReference(),
    name: text("name").notNull(),
    /** SHA-256 of the whole key. */
    hash: bytes("hash").notNull(),
    /** First characters, for display. */
    prefix: text("prefix").notNull(),
    /** Last four characters, for display. */
    lastFour: text("last_four").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    updatedAt: instant("updated_at").notNull().default(now),
    /** Permission of the key: `read` can't call procedures that write. */
    access: text("access", { enum: ["full", "read"] })
      .notNull()
      .default("full"),
    /** Expiry; null: never. */
    expiresAt: instant("expires_at"),
    /** When its holders were warned of the expiry by e-mail; null: not yet. */
    expiryMailAt: instant("expiry_mail_at"),
    /** Null: never used. Written at most once a minute. */
    lastUsedAt: instant("last_used_at"),
    /** Null: enabled. */
    disabledAt: instant("disabled_at"),
    /** Null: valid. A revoked key can't be restored. */
    revokedAt: instant("revoked_at"),
  },
  (table) => [
    uniqueIndex("api_keys_by_hash").on(table.hash),
    index("api_keys_of_user").on(table.userId),
    index("api_keys_of_workspace").on(table.workspaceId),
    check(
      "api_keys_have_one_holder",
      sql`(${table.kind} = 'personal') = (${table.userId} is not null) and (${table.kind} = 'workspace') = (${table.workspaceId} is not null)`,
    ),
  ],
);

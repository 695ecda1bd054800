import { sql } from "drizzle-orm";
import { bigint, check, index, integer, pgTable, text, uniqueIndex } from "drizzle-orm/pg-core";
import { ROLES, users, workspaces } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

/** Passwords of users who sign in with one. */
export const passwords = pgTable("passwords", {
  userId: id("user_id")
    .primaryKey()
    .references(() => users.id, { onDelete: "cascade" }),
  /** The scrypt hash with its parameters and salt: `$scrypt$ln=…,r=…,p=…$<salt>$<hash>`. */
  hash: text("hash").notNull(),
  updatedAt: instant("updated_at").notNull().default(now),
});

/** `mail`: a link that signs in and was sent to the user's address, so that using it confirms the address. */
const LINK_PURPOSES = ["setup", "sign-in", "mail"] as const;

/** One-time links. Using one deletes its row. */
export const oneTimeLinks = pgTable(
  "one_time_links",
  {
    /** SHA-256 of the token. */
    hash: bytes("hash").primaryKey(),
    purpose: text("purpose", { enum: LINK_PURPOSES }).notNull(),
    /** Who signs in with it; null for the set-up of a new installation. */
    userId: id("user_id").references(() => users.id, { onDelete: "cascade" }),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("one_time_links_of_user").on(table.userId),
    index("one_time_links_by_expiry").on(table.expiresAt),
    check("one_time_links_have_a_user", sql`(${table.purpose} <> 'setup') = (${table.userId} is not null)`),
  ],
);

/** Attempts to sign in, which make the next ones wait. */
export const signInAttempts = pgTable(
  "sign_in_attempts",
  {
    /** `account:<SHA-256 of the e-mail address>`, `address:<network address>` or `mail:<SHA-256 …>`. */
    key: text("key").primaryKey(),
    /** Failures since the last success or a day without an attempt. */
    failures: integer("failures").notNull(),
    blockedUntil: instant("blocked_until").notNull(),
    lastAt: instant("last_at").notNull(),
  },
  (table) => [index("sign_in_attempts_by_age").on(table.lastAt)],
);

/** Public keys that sign users in. The private key stays with the person's device. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: id("id").primaryKey(),
    userId: id("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    /** By which the device finds the key. */
    credentialId: bytes("credential_id").notNull(),
    /** In the COSE format. */
    publicKey: bytes("public_key").notNull(),
    /** How often the device has signed, by its own count; 0 for a device that does not count. */
    counter: bigint("counter", { mode: "number" }).notNull(),
    /** By which the user recognises it. */
    name: text("name").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    /** Null until it signs in. */
    lastUsedAt: instant("last_used_at"),
  },
  (table) => [
    uniqueIndex("passkeys_by_credential").on(table.credentialId),
    index("passkeys_of_user").on(table.userId),
  ],
);

const CHALLENGE_PURPOSES = ["passkey-add", "passkey-sign-in", "oidc"] as const;

/** Challenges that a sign-in has to answer. Answering one deletes its row, whatever the answer. */
export const signInChallenges = pgTable(
  "sign_in_challenges",
  {
    /** SHA-256 of the challenge. */
    hash: bytes("hash").primaryKey(),
    purpose: text("purpose", { enum: CHALLENGE_PURPOSES }).notNull(),
    /** The only user who may answer; null: whoever signs in. */
    userId: id("user_id").references(() => users.id, { onDelete: "cascade" }),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("sign_in_challenges_of_user").on(table.userId),
    index("sign_in_challenges_by_expiry").on(table.expiresAt),
  ],
);

/** Accounts of an OpenID Connect provider that sign users in. */
export const companyAccounts = pgTable(
  "company_accounts",
  {
    id: id("id").primaryKey(),
    userId: id("user_id")
      .notNull()
      .references(() => users.id, { onDelete: "cascade" }),
    issuer: text("issuer").notNull(),
    /** The provider's own id of the account, which stays when its e-mail address changes. */
    subject: text("subject").notNull(),
    createdAt: instant("created_at").notNull().default(now),
  },
  (table) => [
    uniqueIndex("company_accounts_by_subject").on(table.issuer, table.subject),
    // One account of a provider for each user, so that a reused e-mail address opens nobody else's.
    uniqueIndex("company_accounts_of_user").on(table.userId, table.issuer),
  ],
);

/** Invitations to a workspace that nobody has accepted yet. Accepting or revoking one deletes its row. */
export const invitations = pgTable(
  "invitations",
  {
    id: id("id").primaryKey(),
    /** SHA-256 of the token. */
    hash: bytes("hash").notNull(),
    workspaceId: id("workspace_id")
      .notNull()
      .references(() => workspaces.id, { onDelete: "cascade" }),
    /** The only e-mail address that may accept, in lower case; null: whoever has the link. */
    email: text("email"),
    role: text("role", { enum: ROLES }).notNull(),
    /** Null once the admin who invited is deleted. */
    createdBy: id("created_by").references(() => users.id, { onDelete: "set null" }),
    createdAt: instant("created_at").notNull().default(now),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("invitations_by_hash").on(table.hash),
    index("invitations_of_workspace").on(table.workspaceId),
  ],
);

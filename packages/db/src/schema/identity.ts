import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { creatorReference, ROLES, userReference, workspaceReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

/** Passwords of users who have one. */
export const passwords = pgTable("passwords", {
  userId: userReference().primaryKey(),
  /** The scrypt hash with its parameters and salt: `$scrypt$ln=…,r=…,p=…$<salt>$<hash>`. */
  hash: text("hash").notNull(),
  updatedAt: instant("updated_at").notNull().default(now),
});

/** `mail`: a sign-in link sent to the user's address. Using it confirms the address. */
const LINK_PURPOSES = ["setup", "sign-in", "mail"] as const;

/** One-time links. Using one deletes its row. */
export const oneTimeLinks = pgTable(
  "one_time_links",
  {
    /** SHA-256 of the token. */
    hash: bytes("hash").primaryKey(),
    purpose: text("purpose", { enum: LINK_PURPOSES }).notNull(),
    /** The user it signs in; null for the set-up of a new installation. */
    userId: userReference(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("one_time_links_of_user").on(table.userId),
    index("one_time_links_by_expiry").on(table.expiresAt),
    check("one_time_links_have_a_user", sql`(${table.purpose} <> 'setup') = (${table.userId} is not null)`),
  ],
);

/** Failed sign-ins, which delay further attempts. */
export const signInAttempts = pgTable(
  "sign_in_attempts",
  {
    /** The counter, such as `account:<SHA-256 of the e-mail address>` or `address:<network address>`. */
    key: text("key").primaryKey(),
    /** Failures that had not decayed at `lastAt`. */
    failures: integer("failures").notNull(),
    blockedUntil: instant("blocked_until").notNull(),
    /** Time of the last attempt, or up to one decay step earlier. */
    lastAt: instant("last_at").notNull(),
  },
  (table) => [index("sign_in_attempts_by_age").on(table.lastAt)],
);

/** Browsers a user has signed in from. Failures elsewhere don't delay them. */
export const knownBrowsers = pgTable(
  "known_browsers",
  {
    /** SHA-256 of the browser's cookie, which changes at each sign-in. */
    hash: bytes("hash").notNull(),
    userId: userReference().notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.hash, table.userId] }),
    index("known_browsers_of_user").on(table.userId, table.expiresAt),
  ],
);

/** Public keys for sign-in. The private key stays on the user's device. */
export const passkeys = pgTable(
  "passkeys",
  {
    id: id("id").primaryKey(),
    userId: userReference().notNull(),
    /** The id by which the device finds the key. */
    credentialId: bytes("credential_id").notNull(),
    /** COSE format. */
    publicKey: bytes("public_key").notNull(),
    /** The device's own signature counter; 0 for a device without one. */
    counter: bigint("counter", { mode: "number" }).notNull(),
    /** Display name chosen by the user. */
    name: text("name").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    /** Null until first used. */
    lastUsedAt: instant("last_used_at"),
  },
  (table) => [
    uniqueIndex("passkeys_by_credential").on(table.credentialId),
    index("passkeys_of_user").on(table.userId),
  ],
);

const CHALLENGE_PURPOSES = ["passkey-add", "passkey-sign-in", "oidc"] as const;

/** Pending sign-in challenges. Answering one deletes its row, right or wrong. */
export const signInChallenges = pgTable(
  "sign_in_challenges",
  {
    /** SHA-256 of the challenge. */
    hash: bytes("hash").primaryKey(),
    purpose: text("purpose", { enum: CHALLENGE_PURPOSES }).notNull(),
    /** The only user who can answer; null: any user. */
    userId: userReference(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("sign_in_challenges_of_user").on(table.userId),
    index("sign_in_challenges_by_expiry").on(table.expiresAt),
  ],
);

/** OpenID Connect accounts used for sign-in. */
export const companyAccounts = pgTable(
  "company_accounts",
  {
    id: id("id").primaryKey(),
    userId: userReference().notNull(),
    issuer: text("issuer").notNull(),
    /** The provider's stable id of the account; the e-mail address can change. */
    subject: text("subject").notNull(),
    createdAt: instant("created_at").notNull().default(now),
  },
  (table) => [
    uniqueIndex("company_accounts_by_subject").on(table.issuer, table.subject),
    // One account per provider and user, so a reused e-mail address can't open another user's account.
    uniqueIndex("company_accounts_of_user").on(table.userId, table.issuer),
  ],
);

/** Pending invitations to a workspace. Accepting or revoking one deletes its row. */
export const invitations = pgTable(
  "invitations",
  {
    id: id("id").primaryKey(),
    /** SHA-256 of the token. */
    hash: bytes("hash").notNull(),
    workspaceId: workspaceReference().notNull(),
    /** The only e-mail address that can accept, in lower case; null: anyone with the link. */
    email: text("email"),
    role: text("role", { enum: ROLES }).notNull(),
    /** True if the link was mailed to `email` and never displayed, so accepting it confirms the address. */
    mailed: boolean("mailed").notNull().default(false),
    /** True if it restores a member who left the workspace while confirming their address. */
    returning: boolean("returning").notNull().default(false),
    createdBy: creatorReference(),
    createdAt: instant("created_at").notNull().default(now),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    uniqueIndex("invitations_by_hash").on(table.hash),
    index("invitations_of_workspace").on(table.workspaceId),
  ],
);

import { index, pgTable, text } from "drizzle-orm/pg-core";
import { userReference, workspaceReference } from "./people.js";
import { bytes, id, instant, now } from "./types.js";

/** Clients that registered themselves. Those that describe themselves at their own address have no row. */
export const oauthClients = pgTable(
  "oauth_clients",
  {
    id: id("id").primaryKey(),
    /** The client's description as JSON. It has no secret: every client is public. */
    metadata: text("metadata").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    /** Short until a user consents, then as long as a connection. */
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [index("oauth_clients_by_expiry").on(table.expiresAt)],
);

/** Apps that users connected. Deleting a row ends all of its tokens immediately on every process. */
export const oauthGrants = pgTable(
  "oauth_grants",
  {
    id: id("id").primaryKey(),
    userId: userReference().notNull(),
    /** The user's workspace when they consented. The connection ends when they leave it. */
    workspaceId: workspaceReference().notNull(),
    clientId: text("client_id").notNull(),
    /** The client's own name. Anybody can choose any name, so it is shown with the host. */
    clientName: text("client_name").notNull(),
    /** Host of the client's own document; without one, the host or program to which the user was sent back. */
    clientHost: text("client_host").notNull(),
    /** The address that the tokens are for. */
    resource: text("resource").notNull(),
    /** What the user allowed, separated by spaces. */
    scopes: text("scopes").notNull(),
    createdAt: instant("created_at").notNull().default(now),
    /** Null: never used. Written at most once a minute. */
    lastUsedAt: instant("last_used_at"),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("oauth_grants_of_user").on(table.userId, table.createdAt),
    index("oauth_grants_of_workspace").on(table.workspaceId),
    index("oauth_grants_by_expiry").on(table.expiresAt),
  ],
);

const OAUTH_TOKEN_KINDS = ["AccessToken", "RefreshToken", "AuthorizationCode", "Interaction"] as const;

/** Codes and tokens of connected apps, and consents in progress (`Interaction`). */
export const oauthTokens = pgTable(
  "oauth_tokens",
  {
    /** SHA-256 of the code, token or identifier. */
    hash: bytes("hash").primaryKey(),
    kind: text("kind", { enum: OAUTH_TOKEN_KINDS }).notNull(),
    /** The connection that it belongs to; null for a consent that was not given yet. */
    grantId: id("grant_id").references(() => oauthGrants.id, { onDelete: "cascade" }),
    /** What the library keeps about it, as JSON, without the token itself. */
    payload: text("payload").notNull(),
    /** What an access token allows, separated by spaces; null for other kinds. */
    scopes: text("scopes"),
    /** When a code or refresh token was first used; null: never. */
    consumedAt: instant("consumed_at"),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [
    index("oauth_tokens_of_grant").on(table.grantId),
    index("oauth_tokens_by_expiry").on(table.expiresAt),
  ],
);

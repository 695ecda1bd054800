import { MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import type { Caller } from "../../access/index.js";
import { type CredentialCheck, countRequest, type QuotaRow, toQuota } from "../../api/rate-limit/index.js";
import { ApiError } from "../../lib/errors.js";
import { hashToken, isToken, type VerifiedKey } from "../index.js";
import { type OAuthScope, parseScopes } from "./scopes.js";
import { isOpenGrant } from "./tokens.js";

const { members, oauthGrants, oauthTokens, workspaces } = schema;

/** A connected app that calls for its user, with what it may do now. */
export interface VerifiedApp extends VerifiedKey {
  readonly userId: string;
  readonly scopes: ReadonlySet<OAuthScope>;
}

interface AppRow extends QuotaRow {
  readonly grantId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly role: schema.Role;
  readonly plan: string;
  readonly scopes: string;
  /** True if the stored last-used time is more than a minute old. */
  readonly stale: boolean;
}

/** Finds an access token with its user and counts the request against the user's quota, in one statement. */
const verifyToken = () => sql`
  with token as (
    select g.id, g.user_id, g.workspace_id, m.role, w.plan, t.scopes, 'personal:' || g.user_id as scope,
      coalesce(g.last_used_at < statement_timestamp() - interval '1 minute', true) as stale
    from ${oauthTokens} t
    join ${oauthGrants} g on g.id = t.grant_id
    join ${members} m on m.user_id = g.user_id and m.workspace_id = g.workspace_id
    join ${workspaces} w on w.id = m.workspace_id
    where t.hash = ${sql.placeholder("hash")} and t.kind = 'AccessToken' and g.resource = ${sql.placeholder("resource")}
      and t.expires_at > statement_timestamp() and g.expires_at > statement_timestamp()
  ), quota as (${countRequest(sql`token`)})
  select token.id as "grantId", token.user_id as "userId", token.workspace_id as "workspaceId", token.role, token.plan,
    token.scopes, token.stale, quota.used, quota.reset, quota.retry_after as "retryAfter"
  from token, quota`;

const WRITES: readonly OAuthScope[] = ["tasks:write", "meetings:write", "meetings:delete"];

/**
 * Verifies an app's access token and counts the request against its user's quota, in one round trip. Nothing is cached:
 * role, plan and membership are those of now, and a disconnected app's token stops with the statement that ends it.
 * @param resource the address that the token must be for
 * @param limit requests per window
 * @throws ApiError 401 for a token that is unknown, has ended, or is for another address
 */
export async function authenticateApp(
  db: Database,
  token: string,
  resource: string,
  limit: number,
  checkCredential: CredentialCheck,
): Promise<VerifiedApp> {
  if (!isToken("mat_", token)) throw new ApiError("UNAUTHORIZED", MESSAGES.appTokenEnded);
  const hash = hashToken(token);
  const row = await checkCredential(
    hash,
    async () => (await runNamedStatement<AppRow>(db, "verify_app", verifyToken, { hash, resource }))[0],
  );
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.appTokenEnded);
  if (row.stale) void recordUse(db, row.grantId);
  const { grantId, userId, workspaceId, role, plan } = row;
  const scopes = new Set(parseScopes(row.scopes));
  // The right to the workspace's meetings ends with the role.
  if (role !== "admin") scopes.delete("workspace:read");
  const via = { kind: "key", keyId: grantId } as const;
  const caller: Caller = scopes.has("workspace:read")
    ? { kind: "workspace", workspaceId, via }
    : { kind: "user", userId, workspaceId, via };
  const access = WRITES.some((scope) => scopes.has(scope)) ? "full" : "read";
  return { caller, userId, plan, access, scopes, quota: toQuota(row, limit) };
}

/** Requires that an access token has not ended, without counting a request. @throws ApiError 401 */
export async function requireValidAppToken(db: Database, token: string): Promise<void> {
  const [row] = await db
    .select({ kind: oauthTokens.kind })
    .from(oauthTokens)
    .where(
      sql`${eq(oauthTokens.hash, hashToken(token))} and ${oauthTokens.kind} = 'AccessToken'
        and ${oauthTokens.expiresAt} > now() and ${isOpenGrant(sql`${oauthTokens.grantId}`)}`,
    );
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.appTokenEnded);
}

/** Stores when an app was last used, at most once a minute. Requests neither wait for it nor fail with it. */
const recordUse = (db: Database, grantId: string): Promise<void> =>
  db
    .update(oauthGrants)
    .set({ lastUsedAt: sql`now()` })
    .where(
      and(
        eq(oauthGrants.id, grantId),
        sql`coalesce(${oauthGrants.lastUsedAt} < now() - interval '1 minute', true)`,
      ),
    )
    .then(
      () => {},
      () => {},
    );

import { MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import type { UserCaller } from "../../access/index.js";
import {
  type CredentialCheck,
  checkWithoutLimits,
  countRequest,
  type Quota,
  type QuotaRow,
  toQuota,
} from "../../api/rate-limit/index.js";
import { hashToken, isToken } from "../../keys/index.js";
import { ApiError } from "../../lib/errors.js";

const { members, sessions } = schema;

interface SessionRow extends QuotaRow {
  readonly userId: string;
  readonly workspaceId: string;
  readonly sessionId: string;
  /** True if the stored last-used time is more than a minute old. */
  readonly stale: boolean;
}

/** Finds an active session with its user and counts the request, in one statement. */
const selectSession = () => sql`
  with session as (
    select s.id, s.user_id, m.workspace_id, ${sql.placeholder("quota")} || ':' || s.user_id as scope,
      s.last_used_at < statement_timestamp() - interval '1 minute' as stale
    from ${sessions} s join ${members} m on m.user_id = s.user_id
    where s.hash = ${sql.placeholder("hash")} and s.expires_at > statement_timestamp()
      and coalesce(s.last_used_at + make_interval(secs => s.idle_seconds) > statement_timestamp(), true)
  ), quota as (${countRequest(sql`session`)})
  select session.id as "sessionId", session.user_id as "userId", session.workspace_id as "workspaceId",
    session.stale, quota.used, quota.reset, quota.retry_after as "retryAfter"
  from session, quota`;

/**
 * Returns the user of a session token and counts the request against one of their quotas, in one round trip. Nothing is
 * cached, so ending a session takes effect immediately.
 * @param token the bearer token or cookie value; undefined if the request has neither
 * @param quota which of the user's quotas counts the request; each has `limit` requests per window
 * @param checkCredential bounds the cost of unknown tokens
 * @throws ApiError 401 without a token, and for a session that is unknown or has ended
 */
export async function authenticateSession(
  db: Database,
  token: string | undefined,
  quota: "settings" | "console",
  limit: number,
  checkCredential: CredentialCheck = checkWithoutLimits,
): Promise<{ user: UserCaller; quota: Quota }> {
  if (!token) throw new ApiError("UNAUTHORIZED", MESSAGES.signIn);
  if (!isToken("mst_", token)) throw new ApiError("UNAUTHORIZED", MESSAGES.signInAgain);
  const hash = hashToken(token);
  const row = await checkCredential(
    hash,
    async () =>
      (await runNamedStatement<SessionRow>(db, "select_session", selectSession, { hash, quota }))[0],
  );
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.signInAgain);
  if (row.stale) void recordSessionUse(db, row.sessionId);
  const { userId, workspaceId, sessionId } = row;
  const via = { kind: "session", sessionId } as const;
  return { user: { kind: "user", userId, workspaceId, via }, quota: toQuota(row, limit) };
}

/** Stores the time of a session's use, at most once a minute. Requests neither wait for it nor fail with it. */
const recordSessionUse = (db: Database, sessionId: string): Promise<void> =>
  db
    .update(sessions)
    .set({ lastUsedAt: sql`now()` })
    .where(and(eq(sessions.id, sessionId), sql`${sessions.lastUsedAt} < now() - interval '1 minute'`))
    .then(
      () => {},
      () => {},
    );

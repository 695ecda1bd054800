import { type KeyAccess, MESSAGES, PLAN_LIMITS } from "@minutes/contract";
import { type Database, schema, selectOne } from "@minutes/db";
import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import type { Caller } from "../access/index.js";
import { ApiError } from "../errors.js";
import { parsePlan } from "../plans/index.js";
import {
  type CredentialCheck,
  checkWithoutLimits,
  countRequest,
  type Quota,
  type QuotaRow,
  requireQuota,
  toQuota,
} from "../rate-limit/index.js";
import { hashToken, isToken } from "./token.js";

const { apiKeys, members, workspaces } = schema;

/** A valid key: whose it is, on which plan, and the quota after this request. */
export interface VerifiedKey {
  readonly caller: Caller;
  readonly plan: string;
  readonly access: KeyAccess;
  readonly quota: Quota;
}

/** The row of `verifyKey`; there is none when the key is not valid. */
interface VerifiedRow extends QuotaRow {
  readonly keyId: string;
  readonly kind: Caller["kind"];
  readonly userId: string | null;
  readonly workspaceId: string;
  readonly plan: string;
  readonly access: KeyAccess;
  /** True when the stored last-used time is more than a minute old. */
  readonly stale: boolean;
}

/** Verifies the key and counts the request, in one statement. */
const verifyKey = () => sql`
  with key as (
    select k.id, k.kind, k.user_id, coalesce(k.workspace_id, m.workspace_id) as workspace_id, w.plan, k.access,
      k.kind || ':' || coalesce(k.user_id, k.workspace_id) as scope,
      coalesce(k.last_used_at < statement_timestamp() - interval '1 minute', true) as stale
    from ${apiKeys} k
    left join ${members} m on m.user_id = k.user_id
    join ${workspaces} w on w.id = coalesce(k.workspace_id, m.workspace_id)
    where k.hash = ${sql.placeholder("hash")} and k.disabled_at is null and k.revoked_at is null
      and coalesce(k.expires_at > statement_timestamp(), true)
  ), quota as (${countRequest(sql`key`)})
  select key.id as "keyId", key.kind, key.user_id as "userId", key.workspace_id as "workspaceId", key.plan, key.access,
    key.stale, quota.used, quota.reset, quota.retry_after as "retryAfter"
  from key, quota`;

/**
 * Verifies an API key and counts the request against its quota, in one round trip. Nothing is cached: a revoked key
 * stops with the statement that revoked it.
 * @param limit Requests per window.
 * @param checkCredential Bounds what unknown keys cost.
 * @throws ApiError 401 for a missing, unknown, disabled, revoked or expired key.
 * @see docs/specification.md#authentication
 */
export async function authenticate(
  db: Database,
  key: string | undefined,
  limit: number,
  checkCredential: CredentialCheck = checkWithoutLimits,
): Promise<VerifiedKey> {
  if (!key) throw new ApiError("UNAUTHORIZED", MESSAGES.missingKey);
  if (!isToken("jk_", key)) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  const hash = hashToken(key);
  const row = await checkCredential(hash, () =>
    selectOne<VerifiedRow>(db, "verify_key", verifyKey, { hash }),
  );
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  if (row.stale) void recordKeyUse(db, row.keyId);
  const caller: Caller =
    row.kind === "personal" && row.userId !== null
      ? { kind: "personal", userId: row.userId, keyId: row.keyId }
      : { kind: "workspace", workspaceId: row.workspaceId, keyId: row.keyId };
  return { caller, plan: row.plan, access: row.access, quota: toQuota(row, limit) };
}

/** Stores the time of a key's use, at most once a minute. No request waits for it or fails with it. */
const recordKeyUse = (db: Database, keyId: string): Promise<void> =>
  db
    .update(apiKeys)
    .set({ lastUsedAt: sql`now()` })
    .where(
      and(
        eq(apiKeys.id, keyId),
        or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, sql`now() - interval '1 minute'`)),
      ),
    )
    .then(
      () => {},
      () => {},
    );

type CallerByKind<Kind extends Caller["kind"]> = Extract<Caller, { kind: Kind }>;

/**
 * Refuses a valid key that is over its quota, is of the other kind, or has a plan without API access, in this order.
 * @throws ApiError 429 or 403.
 * @see docs/open-questions.md#q1
 */
export function requireApiAccess<Kind extends Caller["kind"]>(
  verified: VerifiedKey,
  kind: Kind,
): CallerByKind<Kind> {
  const { caller, plan, quota } = verified;
  requireQuota(quota);
  if (caller.kind !== kind) {
    throw new ApiError(
      "FORBIDDEN",
      kind === "workspace" ? MESSAGES.needsWorkspaceKey : MESSAGES.needsPersonalKey,
    );
  }
  if (!PLAN_LIMITS[parsePlan(plan)].apiAccess) throw new ApiError("FORBIDDEN", MESSAGES.needsPlan);
  return caller as CallerByKind<Kind>;
}

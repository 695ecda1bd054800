import { MESSAGES, PLAN_LIMITS } from "@minutes/contract";
import { type Database, execute, schema } from "@minutes/db";
import { and, eq, isNull, lt, or, sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { planOf } from "../plans/index.js";
import { countRequest, type Quota, quotaFrom } from "../rate-limit/index.js";
import { isToken, tokenHash } from "./token.js";

const { apiKeys, members, workspaces } = schema;

/** Somebody who calls with a personal key: a user, in the workspace that he is in now. */
export interface PersonalCaller {
  readonly kind: "personal";
  readonly userId: string;
  readonly keyId: string;
}

/** A company's program that calls with a workspace key. */
export interface WorkspaceCaller {
  readonly kind: "workspace";
  readonly workspaceId: string;
  readonly keyId: string;
}

export type Caller = PersonalCaller | WorkspaceCaller;

/** What one round trip tells of a key. */
export interface Verified {
  readonly caller: Caller;
  readonly plan: string;
  readonly quota: Quota;
}

/** A row of `verify`; none when the key is not valid. */
interface VerifiedRow {
  readonly keyId: string;
  readonly kind: Caller["kind"];
  readonly userId: string | null;
  readonly workspaceId: string;
  readonly plan: string;
  /** Its last-used time is more than a minute old. */
  readonly stale: boolean;
  readonly used: number;
  readonly reset: number;
  readonly retryAfter: number;
}

/** Verifies the key and counts the request, in one statement. */
const verify = () => sql`
  with key as (
    select k.id, k.kind, k.user_id, coalesce(k.workspace_id, m.workspace_id) as workspace_id, w.plan,
      k.kind || ':' || coalesce(k.user_id, k.workspace_id) as scope,
      coalesce(k.last_used_at < statement_timestamp() - interval '1 minute', true) as stale
    from ${apiKeys} k
    left join ${members} m on m.user_id = k.user_id
    join ${workspaces} w on w.id = coalesce(k.workspace_id, m.workspace_id)
    where k.hash = ${sql.placeholder("hash")} and k.disabled_at is null and k.revoked_at is null
  ), quota as (${countRequest(sql`key`)})
  select key.id as "keyId", key.kind, key.user_id as "userId", key.workspace_id as "workspaceId", key.plan, key.stale,
    quota.used, quota.reset, quota.retry_after as "retryAfter"
  from key, quota`;

/**
 * Who calls, and how much of the quota is left, in one round trip.
 * Nothing is cached: a revoked key stops with the statement that revoked it.
 * @see docs/specification.md#authentication
 * @see docs/specification.md#limits
 * @throws ApiError 401 for a missing, unknown, disabled or revoked key.
 */
export async function authenticate(db: Database, key: string | undefined, limit: number): Promise<Verified> {
  if (!key) throw new ApiError("UNAUTHORIZED", MESSAGES.missingKey);
  if (!isToken("jk_", key)) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  const [row] = await execute<VerifiedRow>(db, "verify_key", verify, { hash: tokenHash(key) });
  if (!row) throw new ApiError("UNAUTHORIZED", MESSAGES.invalidKey);
  if (row.stale) void touch(db, row.keyId);
  const caller: Caller =
    row.kind === "personal" && row.userId !== null
      ? { kind: "personal", userId: row.userId, keyId: row.keyId }
      : { kind: "workspace", workspaceId: row.workspaceId, keyId: row.keyId };
  return { caller, plan: row.plan, quota: quotaFrom(row, limit) };
}

/** Notes that the key was used, at most once a minute; no request waits for it or fails with it. */
const touch = (db: Database, keyId: string): Promise<void> =>
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

type CallerOf<Kind extends Caller["kind"]> = Extract<Caller, { kind: Kind }>;

/**
 * What a valid key may still not do: exceed its quota, call the other kind's routes, or work without the plan,
 * refused in this order.
 * @throws ApiError 429 or 403.
 */
export function admit<Kind extends Caller["kind"]>(verified: Verified, kind: Kind): CallerOf<Kind> {
  const { caller, plan, quota } = verified;
  if (quota.exceeded) throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.rateLimited);
  if (caller.kind !== kind) {
    throw new ApiError(
      "FORBIDDEN",
      kind === "workspace" ? MESSAGES.needsWorkspaceKey : MESSAGES.needsPersonalKey,
    );
  }
  if (!PLAN_LIMITS[planOf(plan)].apiAccess) throw new ApiError("FORBIDDEN", MESSAGES.needsPlan);
  return caller as CallerOf<Kind>;
}

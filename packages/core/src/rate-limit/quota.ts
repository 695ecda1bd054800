import { LIMITS } from "@minutes/contract";
import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";

const { rateWindows } = schema;

/** How much of the quota is used, on the database's clock. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** End of the window in Unix seconds, rounded up. */
  readonly reset: number;
  /** Whole seconds until then, at least 1. */
  readonly retryAfter: number;
  readonly exceeded: boolean;
}

const window = sql.raw(`interval '${LIMITS.rateWindowSeconds} seconds'`);

/** The window has passed, or lies ahead because the database's clock was set back. */
const over = sql`(w.started_at + ${window} <= statement_timestamp() or w.started_at > statement_timestamp() + ${window})`;

/**
 * Counts one request, atomically and on the database's clock, for each row of `source` (at most one), whose
 * column `scope` names whose quota it is. The window is fixed: it begins with its first call and refused calls
 * don't extend it.
 * @see docs/specification.md#limits
 */
export const countRequest = (source: SQL): SQL => sql`
  insert into ${rateWindows} as w (scope, started_at, count)
  select scope, statement_timestamp(), 1 from ${source}
  on conflict (scope) do update set
    started_at = case when ${over} then statement_timestamp() else w.started_at end,
    count = case when ${over} then 1 else w.count + 1 end
  returning count as used,
    ceil(extract(epoch from w.started_at + ${window}))::float8 as reset,
    greatest(1, ceil(extract(epoch from w.started_at + ${window} - statement_timestamp()))::int) as retry_after`;

export function quotaFrom(row: { used: number; reset: number; retryAfter: number }, limit: number): Quota {
  return {
    limit,
    remaining: Math.max(0, limit - row.used),
    reset: row.reset,
    retryAfter: row.retryAfter,
    exceeded: row.used > limit,
  };
}

/** The headers that tell a caller its quota; `Retry-After` only when it is used up. */
export function quotaHeaders(quota: Quota): Record<string, string> {
  const headers: Record<string, string> = {
    "X-RateLimit-Limit": String(quota.limit),
    "X-RateLimit-Remaining": String(quota.remaining),
    "X-RateLimit-Reset": String(quota.reset),
  };
  if (quota.exceeded) headers["Retry-After"] = String(quota.retryAfter);
  return headers;
}

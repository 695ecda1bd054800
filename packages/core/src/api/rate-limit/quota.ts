import { LIMITS, MESSAGES } from "@minutes/contract";
import { schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import { ApiError } from "../../lib/errors.js";

const { rateWindows } = schema;

/** The state of a quota after a request, by the database's clock. */
export interface Quota {
  readonly limit: number;
  readonly remaining: number;
  /** End of the window in Unix seconds, rounded up. */
  readonly reset: number;
  /** Whole seconds until then, at least 1. */
  readonly retryAfter: number;
  readonly exceeded: boolean;
}

/**
 * Builds the statement that counts the requests of each row of `source`: `scope` is the quota, unique among the rows,
 * and `requests` the number. Counting is atomic and uses the database's clock. The window is fixed: it starts with its
 * first call, and refused calls don't extend it. Rows sorted by scope can't deadlock with those of another process.
 * @param seconds length of the window
 * @see docs/specification.md#limits
 */
export function countRequests(source: SQL, seconds: number = LIMITS.rateWindowSeconds): SQL {
  const window = sql.raw(`interval '${seconds} seconds'`);
  // Also over if it is in the future, because the database's clock was set back.
  const isOver = sql`(w.started_at + ${window} <= statement_timestamp() or w.started_at > statement_timestamp() + ${window})`;
  return sql`
  insert into ${rateWindows} as w (scope, started_at, count)
  select scope, statement_timestamp(), requests from ${source}
  on conflict (scope) do update set
    started_at = case when ${isOver} then statement_timestamp() else w.started_at end,
    count = case when ${isOver} then excluded.count else w.count + excluded.count end
  returning scope, count as used,
    ceil(extract(epoch from w.started_at + ${window}))::float8 as reset,
    greatest(1, ceil(extract(epoch from w.started_at + ${window} - statement_timestamp()))::int) as retry_after`;
}

/** Builds the statement that counts one request of the scope in `source`, which has at most one row. */
export const countRequest = (source: SQL): SQL =>
  countRequests(sql`(select scope, 1 as requests from ${source}) one`);

/** Result columns of `countRequests` for a surrounding statement. */
export interface QuotaRow {
  readonly used: number;
  readonly reset: number;
  readonly retryAfter: number;
}

/** Converts a row of `countRequests` to a quota of `limit` requests. */
export function toQuota(row: QuotaRow, limit: number): Quota {
  return {
    limit,
    remaining: Math.max(0, limit - row.used),
    reset: row.reset,
    retryAfter: row.retryAfter,
    exceeded: row.used > limit,
  };
}

/** Requires that the quota is not exhausted. @throws ApiError 429 */
export function requireQuota({ exceeded }: Quota): void {
  if (exceeded) throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.rateLimited);
}

/** Returns the quota headers; `Retry-After` only if the quota is exhausted. */
export function toQuotaHeaders(quota: Quota): Record<string, string> {
  const headers: Record<string, string> = {
    "X-RateLimit-Limit": String(quota.limit),
    "X-RateLimit-Remaining": String(quota.remaining),
    "X-RateLimit-Reset": String(quota.reset),
  };
  if (quota.exceeded) headers["Retry-After"] = String(quota.retryAfter);
  return headers;
}

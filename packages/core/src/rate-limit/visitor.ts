import { type Database, execute } from "@minutes/db";
import { sql } from "drizzle-orm";
import { countRequest, type Quota, toQuota } from "./quota.js";

const countVisit = () => sql`
  with who as (select 'visitor:' || ${sql.placeholder("address")}::text as scope), quota as (${countRequest(sql`who`)})
  select used, reset, retry_after as "retryAfter" from quota`;

/** Counts a request of somebody who is not signed in against the quota of their network address. */
export async function countVisitorRequest(db: Database, address: string, limit: number): Promise<Quota> {
  const [row] = await execute<{ used: number; reset: number; retryAfter: number }>(
    db,
    "count_visitor",
    countVisit,
    { address },
  );
  if (!row) throw new TypeError("The request was not counted.");
  return toQuota(row, limit);
}

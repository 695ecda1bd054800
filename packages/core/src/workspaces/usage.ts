import { type Database, schema } from "@minutes/db";
import { and, asc, count, eq, sql } from "drizzle-orm";
import type { UserCaller } from "../access/callers.js";
import type { RequestStatistics } from "../api/rate-limit/index.js";
import { isAdmin } from "./membership.js";
import { thisMonth } from "./plans/index.js";

const { creditCharges, meetings, summaries } = schema;

/**
 * Returns the user's credits by month and locked summaries, and the requests of the last hour by minute: with their own
 * keys, and for admins with the workspace's.
 */
export async function listUsage(db: Database, caller: UserCaller, counted: RequestStatistics) {
  const { userId, workspaceId } = caller;
  const shared = (await isAdmin(db, caller, workspaceId))
    ? [`workspace:${workspaceId}`, `ingest:${workspaceId}`]
    : [];
  const requests = await counted.list([`personal:${userId}`, ...shared]);
  return {
    creditsByMonth: await listCreditsByMonth(db, userId),
    lockedSummaries: await countLockedSummaries(db, userId),
    requests: requests.map(({ scope, minute, count }) => ({
      keys: scope.split(":")[0] as "personal" | "workspace" | "ingest",
      minute,
      count,
    })),
  };
}

/** Counts a user's locked summaries. */
async function countLockedSummaries(db: Database, userId: string): Promise<number> {
  const [locked] = await db
    .select({ count: count() })
    .from(summaries)
    .innerJoin(meetings, eq(meetings.id, summaries.meetingId))
    .where(and(eq(meetings.userId, userId), eq(summaries.locked, true)));
  return locked?.count ?? 0;
}

/** Number of months shown, including the current one. */
const MONTHS_SHOWN = 6;

/** Lists the credits of the last months, oldest first, including months without any. `month` is its first day (UTC). */
async function listCreditsByMonth(
  db: Database,
  userId: string,
): Promise<{ month: string; credits: number }[]> {
  const month = sql<string>`to_char(m, 'YYYY-MM-DD')`;
  return db
    .select({ month, credits: count(creditCharges.recordingId) })
    .from(
      sql`generate_series(${thisMonth} - make_interval(months => ${MONTHS_SHOWN - 1}::int), ${thisMonth}, interval '1 month') m`,
    )
    .leftJoin(creditCharges, and(eq(creditCharges.userId, userId), sql`${creditCharges.month} = m::date`))
    .groupBy(sql`m`)
    .orderBy(asc(sql`m`));
}

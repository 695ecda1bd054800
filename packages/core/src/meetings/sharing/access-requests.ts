import { type AccessRequests, LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, isForeignKeyViolation, runNamedStatement, schema, toSqlNumber } from "@minutes/db";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { audit } from "../../access/audit.js";
import type { UserCaller } from "../../access/callers.js";
import { isSharedWith } from "../../access/index.js";
import { countTowardsDay } from "../../api/rate-limit/index.js";
import { ApiError } from "../../lib/errors.js";
import { requireMeetingOwner } from "../index.js";

const { accessRequests, meetings, members, users } = schema;

/** Selects from open requests `a` with meeting `m`, member `u` and their membership `r`. */
export const fromOpenRequests = (where: SQL): SQL => sql`
  from ${accessRequests} a
    join ${meetings} m on m.id = a.meeting_id
    join ${members} r on r.user_id = a.user_id and r.workspace_id = m.workspace_id
    join ${users} u on u.id = a.user_id
  where ${where} and a.dismissed_at is null and a.expires_at > now() and not ${isSharedWith(sql`a.user_id`)}`;

/** Lists the open requests for a user's own meetings, newest first. Those who can read the meeting by now are left out. */
export async function listAccessRequests(db: Database, ownerId: string): Promise<AccessRequests> {
  const values = { owner: ownerId };
  return { requests: await runNamedStatement(db, "access_requests", selectRequests, values) };
}

const selectRequests = () => sql`
  select a.meeting_id as "meetingId", m.title, a.created_at as "createdAt",
    json_build_object('userId', u.id, 'email', u.email, 'name', u.name) as user
  ${fromOpenRequests(sql`a.owner_id = ${sql.placeholder("owner")}`)}
  order by a.created_at desc, a.meeting_id, a.user_id limit ${toSqlNumber(LIMITS.accessRequestsListed)}`;

/**
 * Asks the owner of a meeting to share it with the caller. Does nothing for an unknown meeting, one of another workspace,
 * one that the caller can read, and while there is a request, even a dismissed one; the caller can't tell which.
 * @see docs/decisions/0380-requests-for-access.md
 * @throws ApiError 429 after many in a day, whatever came of them
 */
export async function createAccessRequest(
  db: Database,
  caller: UserCaller,
  meetingId: string,
): Promise<void> {
  const { userId } = caller;
  const limit = LIMITS.accessRequestsPerDay;
  if (!(await countTowardsDay(db, { what: "access-requests", userId, amount: 1, limit })))
    throw new ApiError("TOO_MANY_REQUESTS", MESSAGES.tooManyAccessRequests);
  await db
    .transaction(async (tx) => {
      const stored = await runNamedStatement(tx, "request_access", insertRequest, { userId, meetingId });
      if (stored.length > 0) await audit(tx, caller, "meeting.ask", meetingId);
    })
    // The meeting was deleted after it was read.
    .catch((error: unknown) => {
      if (!isForeignKeyViolation(error)) throw error;
    });
}

/** Inserts a request, or renews one that has expired. */
const insertRequest = () => sql`
  insert into ${accessRequests} as a (meeting_id, user_id, owner_id)
  select m.id, r.user_id, m.user_id from ${meetings} m
    join ${members} r on r.user_id = ${sql.placeholder("userId")} and r.workspace_id = m.workspace_id
  where m.id = ${sql.placeholder("meetingId")} and m.user_id <> r.user_id and not ${isSharedWith(sql`r.user_id`)}
  on conflict (meeting_id, user_id) do update
    set created_at = now(), dismissed_at = null, mail_due_at = now(), expires_at = default
    where a.expires_at <= now()
  returning a.meeting_id`;

/**
 * Ends a request without telling the member. The row stays until it expires, so that asking again has no effect.
 * Repeating it is a no-op.
 * @throws ApiError 404, 403 unless the caller owns the meeting
 */
export async function dismissAccessRequest(
  db: Database,
  caller: UserCaller,
  { meetingId, userId }: { readonly meetingId: string; readonly userId: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    await requireMeetingOwner(tx, caller, meetingId);
    const dismissed = await tx
      .update(accessRequests)
      .set({ dismissedAt: sql`now()`, mailDueAt: null })
      .where(
        and(
          eq(accessRequests.meetingId, meetingId),
          eq(accessRequests.userId, userId),
          isNull(accessRequests.dismissedAt),
        ),
      )
      .returning({ userId: accessRequests.userId });
    if (dismissed.length > 0) await audit(tx, caller, "meeting.dismiss", meetingId);
  });
}

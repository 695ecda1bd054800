import { type Database, schema } from "@minutes/db";
import { and, eq, type SQL, sql } from "drizzle-orm";
import { visibleTo } from "../access/index.js";
import { cutToLine } from "../lib/cut-to-line.js";
import { listMeetings } from "../meetings/index.js";
import { listTasks } from "../meetings/tasks/index.js";
import { type DigestMail, MAIL_LIMITS, writeList } from "./mail.js";

const { digests, digestSubscriptions, users } = schema;

/** Length of a week in ms. */
const WEEK = 7 * 86_400_000;

/**
 * Queues the e-mails of Monday morning, 6:00 UTC, for everyone who had asked by then, once per user and week. Afterwards there is a
 * day to catch up. On other days it reads nothing.
 */
export async function queueWeeklyDigests(db: Database, now: SQL = sql`now()`): Promise<void> {
  const monday = sql`date_trunc('week', ${now} at time zone 'UTC')`;
  const morning = sql`((${monday} + interval '6 hours') at time zone 'UTC')`;
  await db.execute(sql`
    insert into ${digests} (user_id, kind, week)
    select s.user_id, s.kind, (${monday})::date from ${digestSubscriptions} s
    where s.kind = 'week' and s.created_at < ${morning}
      and ${now} >= ${morning} and ${now} < ${morning} + interval '1 day'
      and not exists (select from ${digests} d where d.user_id = s.user_id and d.week = (${monday})::date)
    on conflict do nothing`);
}

/**
 * Writes the e-mail of a Monday: the user's open tasks, and the meetings of the week before that they can read. Null if there are
 * neither, or the user no longer wants it.
 * @param week the Monday, such as `2026-11-30`
 */
export async function writeWeekMail(
  db: Database,
  userId: string,
  week: string,
  publicUrl: string,
): Promise<DigestMail | null> {
  const [user] = await db
    .select({ email: users.email })
    .from(users)
    .innerJoin(
      digestSubscriptions,
      and(eq(digestSubscriptions.userId, users.id), eq(digestSubscriptions.kind, "week")),
    )
    .where(and(eq(users.id, userId), eq(users.emailConfirmed, true)));
  if (!user) return null;
  const monday = Date.parse(`${week}T00:00:00Z`);
  const scope = visibleTo({ userId });
  const limit = MAIL_LIMITS.items + 1;
  const { meetings } = await listMeetings(db, scope, {
    limit,
    startDate: new Date(monday - WEEK).toISOString(),
    endDate: new Date(monday - 1).toISOString(),
  });
  const { tasks } = await listTasks(db, scope, { limit, completed: false, mine: true });
  if (meetings.length + tasks.length === 0) return null;
  return {
    to: user.email,
    subject: `Your week from ${week}`,
    lines: [
      ...writeList(
        "Your open tasks:",
        tasks.map(({ text, meetingTitle }) => `${cutToLine(text, 120)} (${meetingTitle})`),
      ),
      ...writeList(
        "Meetings of last week:",
        meetings.map(({ title, startTime }) => `${startTime.slice(0, 10)} ${title}`),
      ),
      `Open Minutes: ${publicUrl}/tasks`,
    ],
    reason: "You asked for an e-mail every Monday.",
  };
}

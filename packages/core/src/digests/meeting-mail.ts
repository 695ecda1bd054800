import { type Database, runNamedStatement, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { cutToLine } from "../lib/cut-to-line.js";
import { fromMeetings } from "../meetings/index.js";
import { isAssignedTo } from "../people/index.js";
import { type DigestMail, MAIL_LIMITS, writeList } from "./mail.js";

const { digestSubscriptions, tasks } = schema;

/**
 * Writes the e-mail about a completed meeting: title, short summary, the owner's open tasks, and a link. Null if the user no
 * longer wants it or may not get it. A locked summary is left out.
 */
export async function writeMeetingMail(
  db: Database,
  userId: string,
  meetingId: string,
  publicUrl: string,
): Promise<DigestMail | null> {
  const [meeting] = await runNamedStatement<MeetingRow>(db, "digest_of_meeting", selectMeeting, {
    userId,
    meetingId,
  });
  if (!meeting) return null;
  const { email, title, summary, openTasks } = meeting;
  return {
    to: email,
    subject: cutToLine(title, MAIL_LIMITS.title),
    lines: [
      ...(summary === "" ? [] : [cutToLine(summary, MAIL_LIMITS.summary), ""]),
      ...writeList("Your open tasks:", JSON.parse(openTasks)),
      `Open the meeting: ${publicUrl}/meetings/${encodeURIComponent(meetingId)}`,
    ],
    reason: "You asked for an e-mail about each of your meetings.",
  };
}

interface MeetingRow {
  readonly email: string;
  readonly title: string;
  /** Empty: there is none, or it is locked. */
  readonly summary: string;
  /** The texts of the owner's open tasks in order, as JSON. */
  readonly openTasks: string;
}

const userId = sql.placeholder("userId");

/** Selects what the e-mail contains, while the user owns the meeting, gets e-mails about meetings and has confirmed the address. */
const selectMeeting = () => sql`
  select u.email, m.title, coalesce(s.short, '') as summary,
    coalesce((select json_agg(k.text order by k.position) from ${tasks} k
      where k.meeting_id = m.id and not k.completed and ${isAssignedTo(sql`${userId}`)}), '[]')::text as "openTasks"
  from ${fromMeetings()}
    join ${digestSubscriptions} a on a.user_id = m.user_id and a.kind = 'meeting'
  where m.id = ${sql.placeholder("meetingId")} and m.user_id = ${userId} and u.email_confirmed`;

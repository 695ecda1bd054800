import { type Database, schema } from "@minutes/db";
import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isAttemptWith } from "../identity/index.js";
import { findAddress, findId, type TextPlace } from "./scan.js";

const {
  calendarAttendees,
  invitations,
  meetings,
  meetingVersionContents,
  participants,
  recordingDrafts,
  signInAttempts,
  tasks,
  users,
} = schema;

/** Where a person occurs: counts and ids, no content. */
export interface PersonReferences {
  /** The person's own account; null if the address has none. */
  readonly account: {
    readonly userId: string;
    readonly meetings: number;
    readonly unfinishedRecordings: number;
    /** Every column that contains the account's id. */
    readonly references: readonly TextPlace[];
  } | null;
  /** Occurrences of the address in other users' meetings. */
  readonly others: {
    readonly meetingIds: readonly string[];
    readonly participants: number;
    readonly attendees: number;
    readonly assignedTasks: number;
    /** Unfinished recordings. */
    readonly recordingIds: readonly string[];
    /**
     * Speakers with the same name and no address, in meetings without the address. They may be somebody else and are
     * not replaced.
     */
    readonly sameName: number;
  };
  readonly invitations: number;
  /** Counters of failed sign-ins and e-mails, under a hash of the address. */
  readonly signInAttempts: number;
  /** Every column that contains the address, even within longer texts. */
  readonly address: readonly TextPlace[];
}

/** Builds the condition that a column equals the address, ignoring case: meetings store addresses as they were sent. */
export const isAddress = (column: SQLWrapper, email: string): SQL =>
  sql`lower(${column}) = ${email.toLowerCase()}`;

/**
 * Selects the ids of meetings in which the address belongs to a participant, attendee or assignee, now or in an earlier
 * version.
 */
export const selectMeetingsWith = (email: string): SQL => sql`
  select p.meeting_id as id from ${participants} p where ${isAddress(sql`p.email`, email)}
  union select a.meeting_id from ${calendarAttendees} a where ${isAddress(sql`a.email`, email)}
  union select t.meeting_id from ${tasks} t where ${isAddress(sql`t.assignee_email`, email)}
  union select c.meeting_id from ${meetingVersionContents} c
    where (c.field in ('participants', 'calendarEvent') or c.field like 'task:%')
      and strpos(lower(c.content), to_json(${email.toLowerCase()}::text)::text) > 0`;

/** Builds the condition that a draft's JSON text contains the address. */
export const draftContains = (email: string): SQL =>
  sql`strpos(lower(${recordingDrafts.content}), ${email.toLowerCase()}::text) > 0`;

/** Lists where a person occurs, by e-mail address. Scans all tables. */
export async function findPerson(db: Database, email: string): Promise<PersonReferences> {
  const [user] = await db.select({ id: users.id }).from(users).where(eq(users.email, email.toLowerCase()));
  const userId = user?.id ?? "";
  const meetingRows = await db
    .select({ id: meetings.id })
    .from(meetings)
    .where(sql`${meetings.id} in (${selectMeetingsWith(email)}) and ${meetings.userId} <> ${userId}`)
    .orderBy(meetings.id);
  const drafts = await db
    .select({ id: recordingDrafts.recordingId, userId: recordingDrafts.userId })
    .from(recordingDrafts)
    .where(sql`${draftContains(email)} or ${recordingDrafts.userId} = ${userId}`)
    .orderBy(recordingDrafts.recordingId);
  const ofOthers = (table: SQL, condition: SQL) =>
    sql<number>`(select count(*)::int from ${table} x join ${meetings} m on m.id = x.meeting_id
      where m.user_id <> ${userId} and ${condition})`;
  const names = sql`select n.name from ${participants} n where ${isAddress(sql`n.email`, email)}`;
  const [counts] = await db
    .select({
      participants: ofOthers(sql`${participants}`, isAddress(sql`x.email`, email)),
      attendees: ofOthers(sql`${calendarAttendees}`, isAddress(sql`x.email`, email)),
      assignedTasks: ofOthers(sql`${tasks}`, isAddress(sql`x.assignee_email`, email)),
      sameName: ofOthers(
        sql`${participants}`,
        sql`x.email is null and x.name in (${names}) and m.id not in (${selectMeetingsWith(email)})`,
      ),
      ownMeetings: sql<number>`(select count(*)::int from ${meetings} where user_id = ${userId})`,
      invitations: sql<number>`(select count(*)::int from ${invitations} i where ${isAddress(sql`i.email`, email)})`,
      signInAttempts: sql<number>`(select count(*)::int from ${signInAttempts} where ${isAttemptWith(email)})`,
    })
    .from(sql`(values (1)) one`);
  if (!counts) throw new Error("The counts are missing.");
  const own = drafts.filter((draft) => draft.userId === userId);
  return {
    account: user
      ? {
          userId,
          meetings: counts.ownMeetings,
          unfinishedRecordings: own.length,
          references: await findId(db, userId),
        }
      : null,
    others: {
      meetingIds: meetingRows.map(({ id }) => id),
      participants: counts.participants,
      attendees: counts.attendees,
      assignedTasks: counts.assignedTasks,
      recordingIds: drafts.filter((draft) => draft.userId !== userId).map(({ id }) => id),
      sameName: counts.sameName,
    },
    invitations: counts.invitations,
    signInAttempts: counts.signInAttempts,
    address: await findAddress(db, email),
  };
}

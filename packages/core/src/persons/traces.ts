import { type Database, schema } from "@minutes/db";
import { eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { listAttemptKeys } from "../identity/index.js";
import { findAddress, findId, type TextPlace } from "./scan.js";

const {
  calendarAttendees,
  invitations,
  meetings,
  participants,
  recordingDrafts,
  signInAttempts,
  tasks,
  users,
} = schema;

/** Where a person stands: counts and ids, no content. */
export interface PersonTraces {
  /** The person's own account; null when the address has none. */
  readonly account: {
    readonly userId: string;
    readonly meetings: number;
    readonly unfinishedRecordings: number;
    /** Every column in which the account's id stands. */
    readonly references: readonly TextPlace[];
  } | null;
  /** In meetings of others, by the address. */
  readonly others: {
    readonly meetingIds: readonly string[];
    readonly participants: number;
    readonly attendees: number;
    readonly assignedTasks: number;
    /** Recordings that are not completed. */
    readonly recordingIds: readonly string[];
    /** Speakers of the same name without an address in meetings without the address. They may be somebody else, and stay. */
    readonly sameName: number;
  };
  readonly invitations: number;
  /** Counts of failed sign-ins and of mails, under a hash of the address. */
  readonly signInAttempts: number;
  /** Every column in which the address stands, also within longer texts. */
  readonly address: readonly TextPlace[];
}

/** Builds the condition that a column holds the address. Addresses in meetings are kept in the case in which they came. */
export const isAddress = (column: SQLWrapper, email: string): SQL =>
  sql`lower(${column}) = ${email.toLowerCase()}`;

/** Selects the ids of meetings in which the address is a participant's, an attendee's or an assignee's. */
export const selectMeetingsWith = (email: string): SQL => sql`
  select p.meeting_id as id from ${participants} p where ${isAddress(sql`p.email`, email)}
  union select a.meeting_id from ${calendarAttendees} a where ${isAddress(sql`a.email`, email)}
  union select t.meeting_id from ${tasks} t where ${isAddress(sql`t.assignee_email`, email)}`;

/** Builds the condition that a draft's JSON text contains the address. */
export const draftContains = (email: string): SQL =>
  sql`strpos(lower(${recordingDrafts.content}), ${email.toLowerCase()}::text) > 0`;

/** Lists where a person stands, by their e-mail address. Reads all tables. */
export async function findPerson(db: Database, email: string): Promise<PersonTraces> {
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
      signInAttempts: sql<number>`(select count(*)::int from ${signInAttempts} s where s.key in ${listAttemptKeys(email)})`,
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

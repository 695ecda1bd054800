import { type Database, schema } from "@minutes/db";
import { and, desc, eq, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { isAttemptWith } from "../sign-in/index.js";
import { countHeldMeetings } from "../workspaces/index.js";
import { findId, findValues, scan, type TextPlace } from "./scan.js";
import {
  containsAddress,
  isAddress,
  isCalled,
  isNamed,
  isSought,
  isSoughtSpeaker,
  listIds,
  mentions,
  type Sought,
  toTexts,
} from "./sought.js";

const {
  auditLog,
  calendarAttendees,
  calendarEntries,
  invitations,
  meetingHolds,
  meetings,
  meetingVersionContents,
  participants,
  people,
  personEmails,
  recordingDrafts,
  signInAttempts,
  tasks,
  users,
} = schema;

/** Where a person occurs: counts and ids, no content. */
export interface PersonReferences {
  /** The person's own accounts: at most one per address. */
  readonly accounts: readonly {
    readonly userId: string;
    /**
     * Time of the last change of its address in the audit log; null if there is none. Only meetings keep the earlier address,
     * because it can belong to somebody else by now.
     */
    readonly addressSetAt: string | null;
    /** Every column that contains the account's id. */
    readonly references: readonly TextPlace[];
  }[];
  /** Meetings of these accounts, how many of them are on hold, and unfinished recordings. */
  readonly own: { readonly meetings: number; readonly held: number; readonly unfinishedRecordings: number };
  /** Occurrences in other users' meetings. */
  readonly others: {
    readonly meetingIds: readonly string[];
    /** How many of these meetings are on hold. */
    readonly held: number;
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
  /** People merged with the person who are not erased, with their addresses: one entry per workspace. */
  readonly mergedWith: readonly {
    readonly workspaceId: string;
    readonly people: readonly { readonly personId: string; readonly emails: readonly string[] }[];
  }[];
  readonly invitations: number;
  /** Counters of failed sign-ins and e-mails, under a hash of the address. */
  readonly signInAttempts: number;
  /** Every column that contains an address or ID of the person, even within longer texts. */
  readonly places: readonly TextPlace[];
}

/** Selects the ids of meetings that name the person as a participant, attendee or assignee, now or in an earlier version. */
export const selectMeetingsWith = (sought: Sought): SQL => sql`
  select p.meeting_id as id from ${participants} p
    where ${isNamed(sql`p.email`, sql`p.person_id`, sought)} or ${mentions(sql`p.id`, sought)}
      or ${isCalled(sql`p.email`, sql`p.name`, sought)}
  union select a.meeting_id from ${calendarAttendees} a where ${isAddress(sql`a.email`, sought)}
  union select t.meeting_id from ${tasks} t
    where ${isNamed(sql`t.assignee_email`, sql`t.assignee_person_id`, sought)}
      or ${isCalled(sql`t.assignee_email`, sql`t.assignee_name`, sought)}
  union select c.meeting_id from ${meetingVersionContents} c
    where (c.field = 'participants' and ${mentions(sql`c.content`, sought)})
      or ((c.field = 'calendarEvent' or c.field like 'task:%') and ${mentions(sql`c.content`, asValues(sought))})`;

/** Finds addresses in JSON as whole values, because texts that mention the person stay. */
const asValues = (sought: Sought): Sought => ({
  ...sought,
  emails: sought.emails.map((email) => JSON.stringify(email)),
});

/** Builds the condition that a draft's JSON text contains an address. */
export const draftContains = ({ emails }: Sought): SQL => containsAddress(recordingDrafts.content, emails);

/** Builds the condition that an event of somebody's calendar contains an address. */
export const entryContains = ({ emails }: Sought): SQL =>
  sql`(${containsAddress(calendarEntries.attendees, emails)} or ${containsAddress(calendarEntries.title, emails)}
    or ${containsAddress(calendarEntries.uid, emails)})`;

/** Lists the columns that contain an address or ID of the person, ignoring case. Scans all tables. */
export const findPlaces = (db: Database, sought: Sought): Promise<TextPlace[]> =>
  scan(db, (value) => mentions(value, sought));

/**
 * Lists the columns that have one of the person's names as a whole value, also within JSON, ignoring case. It can be somebody
 * else's. Scans all tables.
 */
export const findNames = (db: Database, { names }: Sought): Promise<TextPlace[]> => findValues(db, names);

async function findAddressChange(db: Database, userId: string): Promise<string | null> {
  const { at, action, object } = auditLog;
  const [entry] = await db
    .select({ at })
    .from(auditLog)
    .where(and(eq(action, "user.email"), eq(object, userId)))
    .orderBy(desc(at))
    .limit(1);
  return entry?.at ?? null;
}

/** Lists where a person occurs. Scans all tables. */
export async function findPerson(db: Database, sought: Sought): Promise<PersonReferences> {
  const accounts = await db
    .select({ id: users.id })
    .from(users)
    .where(sql`${users.email} = any(${toTexts(sought.emails)})`)
    .orderBy(users.id);
  const userIds = accounts.map(({ id }) => id);
  const isOwn = (userId: SQLWrapper) => sql`${userId} = any(${toTexts(userIds)})`;
  const meetingRows = await db
    .select({
      id: meetings.id,
      held: sql<boolean>`exists (select from ${meetingHolds} h where h.meeting_id = ${meetings.id})`,
    })
    .from(meetings)
    .where(sql`${meetings.id} in (${selectMeetingsWith(sought)}) and not ${isOwn(meetings.userId)}`)
    .orderBy(meetings.id);
  const drafts = await db
    .select({ id: recordingDrafts.recordingId, userId: recordingDrafts.userId })
    .from(recordingDrafts)
    .where(sql`${draftContains(sought)} or ${isOwn(recordingDrafts.userId)}`)
    .orderBy(recordingDrafts.recordingId);
  const counts = await countReferences(db, sought, isOwn);
  const own = drafts.filter(({ userId }) => userIds.includes(userId));
  const references = [];
  for (const userId of userIds) {
    const addressSetAt = await findAddressChange(db, userId);
    references.push({ userId, addressSetAt, references: await findId(db, userId) });
  }
  return {
    accounts: references,
    own: {
      meetings: counts.ownMeetings,
      held: await countHeldMeetings(db, userIds),
      unfinishedRecordings: own.length,
    },
    others: {
      meetingIds: meetingRows.map(({ id }) => id),
      held: meetingRows.filter(({ held }) => held).length,
      participants: counts.participants,
      attendees: counts.attendees,
      assignedTasks: counts.assignedTasks,
      recordingIds: drafts.filter((draft) => !own.includes(draft)).map(({ id }) => id),
      sameName: counts.sameName,
    },
    mergedWith: await findMergedWith(db, sought),
    invitations: counts.invitations,
    signInAttempts: counts.signInAttempts,
    places: await findPlaces(db, sought),
  };
}

/** Counts the rows about a person: in the meetings of others, and their own. */
async function countReferences(db: Database, sought: Sought, isOwn: (userId: SQLWrapper) => SQL) {
  const ofOthers = (table: SQL, condition: SQL) =>
    sql<number>`(select count(*)::int from ${table} x join ${meetings} m on m.id = x.meeting_id
      where not ${isOwn(sql`m.user_id`)} and ${condition})`;
  const isAttempt = or(...sought.emails.map(isAttemptWith)) ?? sql`false`;
  const [counts] = await db
    .select({
      participants: ofOthers(
        sql`${participants}`,
        isSoughtSpeaker(
          { id: sql`x.id`, name: sql`x.name`, email: sql`x.email`, personId: sql`x.person_id` },
          sought,
        ),
      ),
      attendees: ofOthers(sql`${calendarAttendees}`, isAddress(sql`x.email`, sought)),
      assignedTasks: ofOthers(
        sql`${tasks}`,
        isSought(sql`x.assignee_email`, sql`x.assignee_person_id`, sought),
      ),
      sameName: ofOthers(
        sql`${participants}`,
        sql`x.email is null and lower(x.name) = any(${toTexts(sought.names)}) and m.id not in (${selectMeetingsWith(sought)})`,
      ),
      ownMeetings: sql<number>`(select count(*)::int from ${meetings} where ${isOwn(sql`user_id`)})`,
      invitations: sql<number>`(select count(*)::int from ${invitations} i where ${isAddress(sql`i.email`, sought)})`,
      signInAttempts: sql<number>`(select count(*)::int from ${signInAttempts} where ${isAttempt})`,
    })
    .from(sql`(values (1)) one`);
  if (!counts) throw new Error("The counts are missing.");
  return counts;
}

/** Finds who is merged with the person and stays. */
async function findMergedWith(db: Database, sought: Sought): Promise<PersonReferences["mergedWith"]> {
  const ids = toTexts(listIds(sought));
  return db
    .select({
      workspaceId: sql<string>`d.workspace_id`,
      people: sql<
        PersonReferences["mergedWith"][number]["people"]
      >`json_agg(json_build_object('personId', d.id, 'emails', array(
        select e.email from ${personEmails} e where e.person_id = d.id order by e.email)) order by d.id)`,
    })
    .from(sql`${people} d`)
    .where(
      sql`d.id <> all(${ids}) and coalesce(d.merged_into, d.id) in (
        select coalesce(g.merged_into, g.id) from ${people} g where g.id = any(${ids}))`,
    )
    .groupBy(sql`d.workspace_id`)
    .orderBy(sql`d.workspace_id`);
}

import {
  type ExportedMeeting,
  type ExportRecord,
  MESSAGES,
  type MeetingWithFacts,
  type RESPONSE_STATUSES,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq, inArray, or, type SQL, sql } from "drizzle-orm";
import { ownedByMembers } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { getMeeting, toFacts } from "../meetings/index.js";
import { fromMentions, isPersonIn, mentionedName, selectOwnPerson } from "../people/index.js";
import { exportVersions } from "../versions/index.js";
import { parsePlan } from "../workspaces/plans/index.js";

const {
  calendarAttendees,
  calendarEvents,
  meetings,
  meetingShares,
  meetingTags,
  members,
  participants,
  people,
  personEmails,
  recordings,
  summaries,
  summaryInstructions,
  tagShares,
  tags,
  tasks,
  transcriptSegments,
  users,
  vocabularyTerms,
  workspaces,
} = schema;

/** The user or workspace to export. */
export type ExportScope = { readonly userId: string } | { readonly workspaceId: string };

/**
 * Exports everything except meetings, and lists the meetings' ids, oldest first. Meetings are exported one by one, so
 * memory use does not grow with the export. Keys and webhooks are omitted: they are secrets, or send data elsewhere.
 */
export async function exportNonMeetings(
  db: Database,
  scope: ExportScope,
): Promise<{ records: ExportRecord[]; meetingIds: string[] }> {
  const accounts = await db
    .select({
      id: users.id,
      email: users.email,
      name: users.name,
      workspaceId: members.workspaceId,
      role: members.role,
    })
    .from(users)
    .innerJoin(members, eq(members.userId, users.id))
    .where("userId" in scope ? eq(users.id, scope.userId) : eq(members.workspaceId, scope.workspaceId))
    .orderBy(asc(users.email));
  const userIds = accounts.map(({ id }) => id);
  const places = await db
    .select({ id: workspaces.id, name: workspaces.name, plan: workspaces.plan })
    .from(workspaces)
    .where(inArray(workspaces.id, [...new Set(accounts.map(({ workspaceId }) => workspaceId))]));
  const terms = await db
    .select()
    .from(vocabularyTerms)
    .where(
      or(
        inArray(vocabularyTerms.userId, userIds),
        "workspaceId" in scope ? eq(vocabularyTerms.workspaceId, scope.workspaceId) : undefined,
      ),
    )
    .orderBy(sql`${vocabularyTerms.term} collate "C"`);
  const told = await selectInstructions(db, scope, userIds);
  const getInstructions = (holder: "userId" | "workspaceId", id: string) =>
    told.filter((one) => one[holder] === id).map(({ userId: _, workspaceId: __, ...facts }) => facts);
  const getTerms = (holder: "userId" | "workspaceId", id: string) =>
    terms.filter((term) => term[holder] === id).map(({ term }) => term);
  const own = await db
    .select({ id: meetings.id })
    .from(meetings)
    .where(inArray(meetings.userId, userIds))
    .orderBy(asc(meetings.createdAt), asc(meetings.id));
  return {
    records: [
      { kind: "minutes-export", version: 1, userIds },
      ...places.map(({ id, name, plan }) => ({
        kind: "workspace" as const,
        id,
        name,
        plan: parsePlan(plan),
        terms: getTerms("workspaceId", id),
        instructions: getInstructions("workspaceId", id),
      })),
      ...accounts.map((person) => ({
        kind: "user" as const,
        ...person,
        terms: getTerms("userId", person.id),
        instructions: getInstructions("userId", person.id),
      })),
      ...(await selectTags(db, userIds)),
      ...(await selectPeople(db, scope)),
      ...("userId" in scope ? [] : await selectTombstones(db, scope.workspaceId)),
    ],
    meetingIds: own.map(({ id }) => id),
  };
}

/** Selects the instructions for summaries of users, and of an exported workspace. */
const selectInstructions = (db: Database, scope: ExportScope, userIds: string[]) => {
  const { userId, workspaceId, name, prompt, language, tag, word, isDefault } = summaryInstructions;
  return db
    .select({ userId, workspaceId, name, prompt, language, tag, word, isDefault })
    .from(summaryInstructions)
    .where(
      or(inArray(userId, userIds), "workspaceId" in scope ? eq(workspaceId, scope.workspaceId) : undefined),
    )
    .orderBy(sql`${name} collate "C"`);
};

/** Selects users' tags, shared with each other. */
async function selectTags(db: Database, userIds: string[]): Promise<ExportRecord[]> {
  const own = await db.select().from(tags).where(inArray(tags.userId, userIds)).orderBy(asc(tags.id));
  const shares = await db.select().from(tagShares).where(inArray(tagShares.ownerId, userIds));
  return own.map(({ id, userId, name, color }) => ({
    kind: "tag",
    id,
    userId,
    name,
    color,
    sharedWith: shares
      .filter((share) => share.tagId === id && userIds.includes(share.userId))
      .map((share) => share.userId),
  }));
}

/** Selects the tombstones of a workspace's recordings. */
async function selectTombstones(db: Database, workspaceId: string): Promise<ExportRecord[]> {
  const gone = await db
    .select({ id: recordings.id, externalId: recordings.externalId, workspaceId: recordings.workspaceId })
    .from(recordings)
    .where(and(eq(recordings.workspaceId, workspaceId), eq(recordings.state, "deleted")));
  return gone.map((tombstone) => ({ kind: "deleted", ...tombstone }));
}

/**
 * Selects a workspace's directory; for a user, the people in their meetings with those they are merged into, and only the
 * addresses and unconfirmed names that these meetings have.
 */
async function selectPeople(db: Database, scope: ExportScope): Promise<ExportRecord[]> {
  const facts = {
    id: sql<string>`d.id`,
    workspaceId: sql<string>`d.workspace_id`,
    organisation: sql<string | null>`d.organisation`,
    mergedInto: sql<string | null>`d.merged_into`,
    revision: sql<number>`d.revision`,
  };
  const addresses = (condition: SQL) => sql<string[]>`coalesce((
    select json_agg(e.email order by e.email) from ${personEmails} e where e.person_id = d.id and ${condition}), '[]')`;
  const rows =
    "userId" in scope
      ? await db
          .select({
            ...facts,
            name: sql<string>`case when d.revision > 0 then d.name else coalesce(f.name, '') end`,
            emails: addresses(sql`e.email = any(f.emails)`),
          })
          .from(
            sql`(${selectMentioned(scope.userId)}) x join ${people} d on d.id = x.id
              cross join lateral (select ${mentionedName} as name, array_agg(lower(s.email)) as emails
                from ${fromMentions(sql`array[d.id]`)} where m.user_id = ${scope.userId}) f`,
          )
          .orderBy(sql`d.id`)
      : await db
          .select({ ...facts, name: sql<string>`d.name`, emails: addresses(sql`true`) })
          .from(sql`${people} d`)
          .where(sql`d.workspace_id = ${scope.workspaceId}`)
          .orderBy(sql`d.id`);
  return rows.map((row) => ({ kind: "person" as const, ...row }));
}

/** Selects the IDs of the people in a user's meetings, and of those who stand for them. */
const selectMentioned = (userId: string): SQL => sql`
  select unnest(array[g.id, g.merged_into]) as id from ${people} g, ${participants} p, ${meetings} m
  where m.user_id = ${userId} and p.meeting_id = m.id and ${isPersonIn(sql`g`, sql`p.person_id`, sql`m.workspace_id`)}
  union
  select unnest(array[g.id, g.merged_into]) from ${people} g, ${tasks} k
  where k.user_id = ${userId} and ${isPersonIn(sql`g`, sql`k.assignee_person_id`, sql`k.workspace_id`)}`;

/** A turn of an exported meeting. Times are in seconds from its start. */
interface ExportedTurn {
  readonly speaker: string;
  readonly text: string;
  readonly start: number | null;
  readonly end: number | null;
}

/** A meeting in the three formats of an export: one for restoring, two for reading. */
export interface MeetingExport {
  readonly record: ExportedMeeting;
  readonly detail: MeetingWithFacts;
  readonly turns: ExportedTurn[];
}

/** Exports one meeting. A locked summary is omitted, as everywhere. @throws ApiError 404 if it was deleted */
export async function exportMeeting(db: Database, meetingId: string): Promise<MeetingExport> {
  const [meeting] = await db.select().from(meetings).where(eq(meetings.id, meetingId));
  const [recording] = await db.select().from(recordings).where(eq(recordings.id, meetingId));
  if (!meeting || !recording) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  const { workspaceId, userId } = meeting;
  const detail = await getMeeting(db, ownedByMembers({ workspaceId }), meetingId);
  const speakers = await selectSpeakers(db, meetingId, workspaceId);
  const names = new Map(speakers.map(({ id, name }) => [id, name]));
  const segments = await selectSegments(db, meetingId);
  const labels = await db
    .select({ tagId: meetingTags.tagId })
    .from(meetingTags)
    .where(eq(meetingTags.meetingId, meetingId))
    .orderBy(asc(meetingTags.tagId));
  const readers = await db
    .select({ userId: meetingShares.userId })
    .from(meetingShares)
    .where(eq(meetingShares.meetingId, meetingId))
    .orderBy(asc(meetingShares.userId));
  const record: ExportedMeeting = {
    kind: "meeting",
    id: meetingId,
    externalId: recording.externalId,
    workspaceId: recording.workspaceId,
    userId,
    startHash: toBase64(recording.startHash),
    contentHash: toBase64(recording.contentHash),
    createdAt: meeting.createdAt,
    title: meeting.title,
    ...toFacts(meeting),
    startTime: meeting.startTime,
    endTime: meeting.endTime,
    calendarEvent: await selectEvent(db, meetingId),
    participants: speakers,
    segments,
    summary: await selectSummary(db, meetingId),
    tasks: await selectTasks(db, meetingId),
    tagIds: labels.map(({ tagId }) => tagId),
    sharedWith: readers.map(({ userId }) => userId),
    versions: await exportVersions(db, meetingId),
  };
  const turns = segments.map(({ speakerId, text, startSeconds: start, endSeconds: end }) => ({
    speaker: names.get(speakerId) ?? speakerId,
    text,
    start,
    end,
  }));
  return { record, detail, turns };
}

const selectSpeakers = (db: Database, meetingId: string, workspaceId: string) =>
  db
    .select({
      id: participants.id,
      name: participants.name,
      email: participants.email,
      // Without it, they are identified again when the export is restored.
      personId: selectOwnPerson(participants.personId, sql`${workspaceId}`),
      personRevision: participants.personRevision,
      named: participants.named,
    })
    .from(participants)
    .where(eq(participants.meetingId, meetingId))
    .orderBy(asc(participants.position));

const selectSegments = (db: Database, meetingId: string): Promise<ExportedMeeting["segments"]> =>
  db
    .select({
      speakerId: transcriptSegments.speakerId,
      text: transcriptSegments.text,
      startSeconds: transcriptSegments.startSeconds,
      endSeconds: transcriptSegments.endSeconds,
    })
    .from(transcriptSegments)
    .where(eq(transcriptSegments.meetingId, meetingId))
    .orderBy(asc(transcriptSegments.position));

async function selectSummary(db: Database, meetingId: string): Promise<ExportedMeeting["summary"]> {
  const [summary] = await db
    .select({ markdown: summaries.markdown, short: summaries.short, origin: summaries.origin })
    .from(summaries)
    .where(and(eq(summaries.meetingId, meetingId), eq(summaries.locked, false)));
  return summary ? { ...summary, origin: summary.origin === null ? null : JSON.parse(summary.origin) } : null;
}

const toBase64 = (hash: Uint8Array | null): string | null => hash && Buffer.from(hash).toString("base64");

async function selectEvent(db: Database, meetingId: string): Promise<ExportedMeeting["calendarEvent"]> {
  const [event] = await db.select().from(calendarEvents).where(eq(calendarEvents.meetingId, meetingId));
  if (!event) return null;
  const attendees = await db
    .select({
      name: calendarAttendees.name,
      email: calendarAttendees.email,
      responseStatus: sql<(typeof RESPONSE_STATUSES)[number] | null>`${calendarAttendees.responseStatus}`,
      organizer: calendarAttendees.organizer,
    })
    .from(calendarAttendees)
    .where(eq(calendarAttendees.meetingId, meetingId))
    .orderBy(asc(calendarAttendees.position));
  const { id, externalId, title, scheduledTime, endTime } = event;
  return { id, externalId, title, scheduledTime, endTime, attendees };
}

const selectTasks = (db: Database, meetingId: string): Promise<ExportedMeeting["tasks"]> =>
  db
    .select({
      id: tasks.id,
      text: tasks.text,
      completed: tasks.completed,
      assigneeId: tasks.assigneeId,
      assigneeName: tasks.assigneeName,
      assigneeEmail: tasks.assigneeEmail,
      assigneePersonId: selectOwnPerson(tasks.assigneePersonId, tasks.workspaceId),
      dueOn: tasks.dueOn,
      createdAt: tasks.createdAt,
    })
    .from(tasks)
    .where(eq(tasks.meetingId, meetingId))
    .orderBy(asc(tasks.position));

import { type Database, schema } from "@minutes/db";
import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import { changeMeeting } from "../versions/index.js";
import { identify, listNames } from "./identify.js";
import {
  forgetPeople,
  listPeople,
  readSpeakers,
  reidentify,
  writeAssignees,
  writeSpeakers,
} from "./reidentify.js";
import { type FindMeetings, runOnMeetings } from "./run-on-meetings.js";

const { meetings, participants, people, peopleWork, tasks } = schema;

/**
 * Identifies the people of meetings stored by the previous release, and of those that moved to another workspace, each in
 * its own short transaction. What is left to do follows from the rows, so it continues where a killed process stopped.
 */
export async function identifyRemainingPeople(db: Database, signal: AbortSignal): Promise<void> {
  await followMoves(db, signal);
  for (const [column, table] of UNIDENTIFIED)
    await runOnMeetings(db, signal, findUnidentified(column, table), identifyMeeting);
}

/** Does the same for moved meetings and those of the last hour, which a process of the previous release can store. */
export async function identifyRecentPeople(db: Database, signal: AbortSignal): Promise<void> {
  await followMoves(db, signal);
  for (const [column, table] of UNIDENTIFIED)
    await runOnMeetings(db, signal, findUnidentified(column, table, isRecent(column)), identifyMeeting);
}

/** Maps the people of meetings whose owner moved to the new workspace's people. */
export async function followMoves(db: Database, signal: AbortSignal): Promise<void> {
  const find: FindMeetings = (after, limit) =>
    sql`select w.meeting_id as id from ${peopleWork} w where w.meeting_id > ${after} order by 1 limit ${limit}`;
  await runOnMeetings(db, signal, find, moveMeeting);
}

/** Deletes people without meetings that the database's triggers had to leave because an import was using them. */
export async function purgePeople(db: Database, signal: AbortSignal): Promise<void> {
  for (let last = ""; !signal.aborted; ) {
    const rows = await db
      .select({ id: people.id })
      .from(people)
      .where(gt(people.id, last))
      .orderBy(people.id)
      .limit(1_000);
    await forgetPeople(
      db,
      rows.map(({ id }) => id),
    );
    const end = rows.at(-1);
    if (!end) return;
    last = end.id;
  }
}

type MeetingColumn = typeof participants.meetingId | typeof tasks.meetingId;

const UNIDENTIFIED = [
  [participants.meetingId, participants],
  [tasks.meetingId, tasks],
] as const;

const isRecent = (meetingId: MeetingColumn): SQL =>
  sql`exists (select from ${meetings} m where m.id = ${meetingId} and m.updated_at > now() - interval '1 hour')`;

const findUnidentified =
  (column: MeetingColumn, table: typeof participants | typeof tasks, where: SQL = sql`true`): FindMeetings =>
  (after, limit) => {
    const open =
      table === tasks
        ? sql`assignee_person_id is null and (assignee_id is not null or assignee_email is not null)`
        : sql`person_id is null`;
    return sql`select distinct ${column} as id from ${table} where ${open} and ${where} and ${column} > ${after} order by 1 limit ${limit}`;
  };

/** Gives the speakers and assignees of a meeting that have no person one. */
const identifyMeeting = (tx: Database, meetingId: string) =>
  changeMeeting(tx, meetingId, {
    work: async (_, { workspaceId }) => {
      const speakers = await readSpeakers(tx, meetingId);
      const open = await tx
        .select()
        .from(tasks)
        .where(and(eq(tasks.meetingId, meetingId), isNull(tasks.assigneePersonId)))
        .orderBy(tasks.id)
        .for("no key update");
      const identified = await identify(tx, workspaceId, { participants: speakers, tasks: open });
      const changed = identified.participants.filter(
        ({ personId }, at) => personId !== speakers[at]?.personId,
      );
      await writeSpeakers(tx, meetingId, changed);
      const assigned = identified.tasks.filter(({ assigneePersonId }) => assigneePersonId !== null);
      await writeAssignees(tx, assigned);
      if (changed.length + assigned.length === 0) return null;
      const speakerNames = listNames(speakers);
      const assigneeNames = new Map(open.map(({ id, assigneeName }) => [id, assigneeName]));
      const isRenamed = changed.some(({ id, name }) => name !== speakerNames.get(id));
      const isReassigned = assigned.some(({ id, assigneeName }) => assigneeName !== assigneeNames.get(id));
      return { index: isRenamed ? "meeting" : isReassigned ? "notes" : undefined, announce: "feed" };
    },
  });

/** Maps the people of a moved meeting. */
const moveMeeting = (tx: Database, meetingId: string) =>
  changeMeeting(tx, meetingId, {
    work: async (_, { workspaceId }) => {
      const former = await listPeople(tx, meetingId);
      const { isChanged, isRenamed } = await reidentify(tx, meetingId, workspaceId);
      await tx.delete(peopleWork).where(eq(peopleWork.meetingId, meetingId));
      await forgetPeople(tx, former);
      return isChanged ? { index: isRenamed ? "meeting" : "notes", announce: "feed" } : null;
    },
  });

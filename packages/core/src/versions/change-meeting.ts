import { type Database, schema, writeArray } from "@minutes/db";
import { indexNotes, reindexMeeting, reindexNotes } from "@minutes/search";
import { eq, sql } from "drizzle-orm";
import { recordTaskEvent, recordUpdateEvents } from "../events/index.js";
import { type Edit, withVersion } from "./with-version.js";

const { meetings } = schema;

/** A meeting that a change has locked until the transaction ends. */
export interface LockedMeeting {
  readonly id: string;
  readonly ownerId: string;
  readonly workspaceId: string;
}

/** The parts that a change touched. */
export interface Touched<Result = unknown> {
  readonly result?: Result;
  /** What to index again: the whole meeting, or only its notes (summary, tasks, attendees). Nothing by default. */
  readonly index?: "meeting" | "notes" | undefined;
  /** Tasks to record `task.updated` for. */
  readonly tasks?: readonly string[];
  /**
   * `update` (the default) sets `updatedAt`, sends the meeting again in the change feed and records `meeting.updated`;
   * `feed` only sends it again. With `tasks`, the tasks' rows and events are enough.
   */
  readonly announce?: "update" | "feed" | "tasks";
}

export interface MeetingChange<Result> {
  /** Refuses callers who can't change the meeting. @throws ApiError */
  readonly authorize?: (tx: Database, meeting: LockedMeeting) => Promise<unknown>;
  /** Keeps what the change replaces as a version. Absent for changes that follow from people and plans. */
  readonly edit?: Edit;
  /** Changes the meeting's rows and identifies their people. Returns null if it changed nothing. */
  readonly work: (tx: Database, meeting: LockedMeeting) => Promise<Touched<Result> | null>;
}

/** The outcome of a change. */
export interface ChangedMeeting<Result> {
  /** The meeting's version after an edit; null for other changes. */
  readonly version: number | null;
  readonly result: Result | undefined;
}

/**
 * Changes the content of a stored meeting in the caller's transaction: lock, right, version, rows and people, search
 * index, events, change feed. Nothing else may change it, except completing a task, which none of these depend on. An
 * edit that creates no version announces no update.
 * @returns null if the meeting is gone
 * @throws ApiError 409 if the meeting is no longer at the version that the edit is based on
 */
export async function changeMeeting<Result>(
  tx: Database,
  meetingId: string,
  { authorize, edit, work }: MeetingChange<Result>,
): Promise<ChangedMeeting<Result> | null> {
  const meeting = await lockMeeting(tx, meetingId);
  if (!meeting) return null;
  await authorize?.(tx, meeting);
  const { version, isNew, touched } = edit
    ? await withVersion(tx, meetingId, edit, () => work(tx, meeting))
    : { version: null, isNew: true, touched: await work(tx, meeting) };
  if (touched) await announce(tx, [meetingId], touched, isNew);
  return { version, result: touched?.result };
}

/**
 * Makes one change to the notes of many meetings with few statements. For changes that are no edits.
 * @param work changes the meetings' rows
 */
export async function changeNotes(
  tx: Database,
  meetingIds: readonly string[],
  work: () => Promise<unknown>,
): Promise<void> {
  if (meetingIds.length === 0) return;
  await tx
    .select({ id: meetings.id })
    .from(meetings)
    .where(isOneOf(meetingIds))
    .orderBy(meetings.id)
    .for("no key update");
  await work();
  await announce(tx, meetingIds, { index: "notes" }, true);
}

const isOneOf = (meetingIds: readonly string[]) =>
  sql`${meetings.id} = any(${writeArray(meetingIds)}::text::text[])`;

async function lockMeeting(tx: Database, meetingId: string): Promise<LockedMeeting | null> {
  const [meeting] = await tx
    .select({ id: meetings.id, ownerId: meetings.userId, workspaceId: meetings.workspaceId })
    .from(meetings)
    .where(eq(meetings.id, meetingId))
    .for("no key update");
  return meeting ?? null;
}

async function announce(
  tx: Database,
  meetingIds: readonly string[],
  { index, tasks = [], announce = "update" }: Touched,
  isChanged: boolean,
): Promise<void> {
  for (const id of meetingIds) {
    if (index && isChanged) await (index === "meeting" ? reindexMeeting : reindexNotes)(tx, id);
    // Triggers delete the notes of rows that were written with the same values, too.
    else if (index) await indexNotes(tx, id);
    for (const task of tasks) await recordTaskEvent(tx, id, task);
  }
  if (!isChanged || announce === "tasks") return;
  // A trigger sets the transaction's number, by which the change feed sends the meeting again.
  const change = announce === "update" ? { updatedAt: sql`now()` } : { changedIn: 0 };
  await tx.update(meetings).set(change).where(isOneOf(meetingIds));
  if (announce === "update") await recordUpdateEvents(tx, meetingIds);
}

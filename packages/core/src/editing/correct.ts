import { type EditedMeeting, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import { authorOf, buildOwnedCondition, type Caller, editableBy, requireEditable } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import {
  changeMeeting,
  type Edit,
  editAlone,
  type LockedMeeting,
  requireVersion,
  type Touched,
} from "../versions/index.js";

const { tasks } = schema;

/**
 * Returns the meeting of a task that a caller can edit.
 * @param within the meeting that it must belong to; any by default
 * @throws ApiError 404
 */
export async function findMeetingOfTask(
  db: Database,
  caller: Caller,
  taskId: string,
  within?: string,
): Promise<string> {
  const scope = editableBy(caller);
  const [task] = await db
    .select({ meetingId: tasks.meetingId })
    .from(tasks)
    .where(and(eq(tasks.id, taskId), buildOwnedCondition(scope, "tasks")))
    .prepare(`meeting_of_task_${scope.name}`)
    .execute(scope.values);
  if (!task || (within ?? task.meetingId) !== task.meetingId)
    throw new ApiError("NOT_FOUND", MESSAGES.taskNotWritable);
  return task.meetingId;
}

/** An edit without its author. `action` is `edit` by default. */
export type Correction = Pick<Edit, "base" | "parts"> & Partial<Pick<Edit, "action">>;

/**
 * Edits a meeting for a caller, in a transaction of its own. An edit that changes nothing creates no version and no
 * `meeting.updated`.
 * @throws ApiError 404, 403, 409 if the meeting has changed since the version that the edit is based on, and 503 if too many
 *   edits of the meeting wait
 */
export const correct = (
  db: Database,
  caller: Caller,
  meetingId: string,
  correction: Correction,
  work: (tx: Database, meeting: LockedMeeting) => Promise<Touched>,
): Promise<EditedMeeting> =>
  editAlone(meetingId, async () => {
    // A stale edit doesn't wait for the meeting's lock.
    await requireEditable(db, caller, meetingId);
    await requireVersion(db, meetingId, correction.base);
    const edit: Edit = { action: "edit", ...correction, actor: authorOf(caller) };
    const changed = await db.transaction((tx) =>
      changeMeeting(tx, meetingId, {
        authorize: () => requireEditable(tx, caller, meetingId),
        edit,
        work,
      }),
    );
    if (!changed?.version) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
    return { meetingId, version: changed.version };
  });

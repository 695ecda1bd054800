import { type EditedMeeting, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import {
  authorOf,
  buildOwnedCondition,
  type Caller,
  type OwnedScope,
  ownedBy,
  ownedByMembers,
  type Scope,
  visibleTo,
} from "../access/index.js";
import { recordUpdateEvents } from "../events/index.js";
import { ApiError } from "../lib/errors.js";
import { type Edit, editAlone, requireVersion, withVersion } from "../versions/index.js";

const { meetings, tasks } = schema;

/** Who edits meetings, and which. */
export interface Editor {
  readonly scope: OwnedScope;
  /** The meetings that they can read. */
  readonly reads: Scope;
  /** A user's id, a key's id, or `operator`. */
  readonly actor: string;
  /** The message for meetings that they can't edit. */
  readonly refusal: string;
}

/** Creates the editor of a personal key, who edits their own meetings, or of a workspace key: those of current members. */
export const toEditor = (caller: Caller): Editor =>
  caller.kind === "user"
    ? {
        scope: ownedBy(caller),
        reads: visibleTo(caller),
        actor: authorOf(caller),
        refusal: MESSAGES.notYourMeetingToEdit,
      }
    : {
        scope: ownedByMembers(caller),
        reads: ownedByMembers(caller),
        actor: authorOf(caller),
        refusal: MESSAGES.notInWorkspace,
      };

/**
 * Requires that an editor can edit a meeting, which is also the right to read its versions.
 * @param lock true locks the meeting until the transaction ends
 * @throws ApiError 404 for an unknown meeting, 403 for one outside the scope
 */
export async function requireEditable(
  tx: Database,
  { scope, refusal }: Editor,
  meetingId: string,
  { lock = false } = {},
): Promise<void> {
  const selected = tx
    .select({ allowed: sql<boolean>`${buildOwnedCondition(scope, "meetings")}` })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  const name = `editable_${scope.name}${lock ? "_locked" : ""}`;
  const [meeting] = await (lock ? selected.for("no key update") : selected)
    .prepare(name)
    .execute(scope.values);
  if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!meeting.allowed) throw new ApiError("FORBIDDEN", refusal);
}

/** Reads the workspace of a meeting that the caller locked. */
export async function readWorkspace(tx: Database, meetingId: string): Promise<string> {
  const [meeting] = await tx
    .select({ workspaceId: meetings.workspaceId })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  if (!meeting) throw new Error("The locked meeting is gone.");
  return meeting.workspaceId;
}

/**
 * Returns the meeting of a task that an editor can edit.
 * @param within the meeting that it must belong to; any by default
 * @throws ApiError 404
 */
export async function findMeetingOfTask(
  db: Database,
  { scope }: Editor,
  taskId: string,
  within?: string,
): Promise<string> {
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
 * Corrects a meeting in one transaction: stores the version before it, the change, its search rows, and the event
 * `meeting.updated`. The change feed sends the meeting again. A correction that changes nothing creates no version and no event.
 * @throws ApiError 404, 403, 409 if the meeting has changed since the version that the edit is based on, and 503 if too many
 *   edits of the meeting wait
 */
export const correct = (
  db: Database,
  editor: Editor,
  meetingId: string,
  correction: Correction,
  work: (tx: Database) => Promise<void>,
): Promise<EditedMeeting> =>
  editAlone(meetingId, async () => {
    // A stale edit doesn't wait for the meeting's lock.
    await requireEditable(db, editor, meetingId);
    await requireVersion(db, meetingId, correction.base);
    return db.transaction(async (tx) => {
      await requireEditable(tx, editor, meetingId, { lock: true });
      const edit: Edit = { action: "edit", ...correction, meetingId, actor: editor.actor };
      const { version } = await withVersion(tx, edit, () => work(tx));
      if (version === correction.base) return { meetingId, version };
      await tx.update(meetings).set({ updatedAt: sql`now()` }).where(eq(meetings.id, meetingId));
      await recordUpdateEvents(tx, [meetingId]);
      return { meetingId, version };
    });
  });

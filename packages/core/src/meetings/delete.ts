import { type DeletedMeeting, MESSAGES } from "@minutes/contract";
import { type Database, runNamedStatement, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import {
  actorOf,
  buildOwnedCondition,
  type Caller,
  editableBy,
  type OwnedScope,
  refusalOf,
} from "../access/index.js";
import { insertDeletionEvents, notifyWorkers } from "../events/index.js";
import { ApiError } from "../lib/errors.js";

const { auditLog, meetings, recordings } = schema;

/**
 * Deletes a meeting permanently, with all its data, and leaves a tombstone without content.
 * @see docs/specification.md#delete-behaviour
 * @throws ApiError 404 for an unknown meeting, 403 for one that the caller can't change
 */
export async function deleteMeeting(
  db: Database,
  caller: Caller,
  meetingId: string,
): Promise<DeletedMeeting> {
  const scope = editableBy(caller);
  const values = { ...scope.values, meetingId, actor: actorOf(caller) };
  for (;;) {
    const [row] = await runNamedStatement<{ deleted: boolean; allowed: boolean }>(
      db,
      `delete_meeting_${scope.name}`,
      () => deleteIfAllowed(scope),
      values,
    );
    if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
    if (row.deleted) return { success: true, message: MESSAGES.meetingDeleted, deletedMeetingId: meetingId };
    if (!row.allowed) throw new ApiError("FORBIDDEN", refusalOf(caller, MESSAGES.notYourMeeting));
    // It was deleted or moved while this statement waited for its row: check again.
  }
}

const id = sql.placeholder("meetingId");

/**
 * Builds the parts of a statement that delete meetings `m` with all their data, leave their tombstones, and record it.
 * `gone` has their IDs, `notices` the events to send.
 */
export const deleteWith = (which: SQL, actor: SQL, action: "meeting.delete" | "meeting.expire"): SQL => sql`
  gone as (delete from ${meetings} m where ${which} returning m.id, m.user_id, m.workspace_id),
  ${insertDeletionEvents(sql`select id, user_id, workspace_id from gone`)},
  tombstone as (
    update ${recordings} set state = 'deleted', start_hash = null, content_hash = null, updated_at = now() where id in (select id from gone)
  ),
  noted as (
    insert into ${auditLog} (actor, action, object, shown_in)
    select ${actor}, ${sql.raw(`'${action}'`)}, id, workspace_id from gone
  )`;

/**
 * Deletes a meeting in the scope. Returns one row if the meeting existed: `allowed` if it was in the scope, `deleted`
 * if this statement deleted it.
 */
const deleteIfAllowed = (scope: OwnedScope) => sql`
  with ${deleteWith(sql`m.id = ${id} and ${buildOwnedCondition(scope, "m")}`, sql`${sql.placeholder("actor")}`, "meeting.delete")}
  select exists (select from gone) as deleted, ${buildOwnedCondition(scope, "m")} as allowed,
    case when exists (select from notices) then ${notifyWorkers} end from ${meetings} m where m.id = ${id}`;

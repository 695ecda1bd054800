import { type DeletedMeeting, MESSAGES } from "@minutes/contract";
import { type Database, prepared, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { inScope, type Scope } from "./access.js";

const { auditLog, meetings, recordings } = schema;

/** Who deletes, and what he is told about a meeting that he may not delete. */
export interface Deletion {
  /** The meetings that may be deleted. */
  readonly scope: Scope;
  readonly refusal: string;
  /** For the audit log. */
  readonly actor: string;
}

/**
 * Deletes a meeting for good, with everything that belongs to it, and leaves a tombstone without content
 * (contract: "Delete behaviour").
 * @throws ApiError 404 for an unknown meeting, 403 for one outside the scope.
 */
export async function deleteMeeting(
  db: Database,
  deletion: Deletion,
  meetingId: string,
): Promise<DeletedMeeting> {
  const { scope, actor, refusal } = deletion;
  const [row] = await prepared(db, `delete_meeting_${scope.name}`, (db, name) =>
    deleteStatement(db, name, scope),
  ).execute({
    ...scope.values,
    meetingId,
    actor,
  });
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (!row.deleted) throw new ApiError("FORBIDDEN", refusal);
  return { success: true, message: MESSAGES.meetingDeleted, deletedMeetingId: meetingId };
}

/** One row when the meeting existed; `deleted` when it was in the scope and is gone now. */
const deleteStatement = (db: Database, name: string, scope: Scope) => {
  const gone = db.$with("gone", {}).as(sql`
    delete from ${meetings} m where m.id = ${sql.placeholder("meetingId")} and ${inScope(scope)} returning m.id`);
  const tombstone = db.$with("tombstone", {}).as(sql`
    update ${recordings} set state = 'deleted', content_hash = null, updated_at = now()
    where id in (select id from gone)`);
  const noted = db.$with("noted", {}).as(sql`
    insert into ${auditLog} (actor, action, object)
    select ${sql.placeholder("actor")}, 'meeting.delete', id from gone`);
  return db
    .with(gone, tombstone, noted)
    .select({ deleted: sql<boolean>`exists (select from gone)` })
    .from(sql`${meetings} m where m.id = ${sql.placeholder("meetingId")}`)
    .prepare(name);
};

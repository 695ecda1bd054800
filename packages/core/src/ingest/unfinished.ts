import { MESSAGES, type StartRecording, type UnfinishedRecordings } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, asc, eq, inArray, type SQL, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { Caller, Manager, UserCaller } from "../access/callers.js";
import { ApiError } from "../lib/errors.js";
import { isAdmin, requireAdmin } from "../workspaces/index.js";

const { members, recordingDrafts, recordings, users } = schema;

const UNFINISHED = ["recording", "processing", "failed"] as const;

/** Lists the caller's unfinished recordings, oldest first. They are not part of `/v1`. */
export const listOwnRecordings = (db: Database, { userId }: UserCaller): Promise<UnfinishedRecordings> =>
  listUnfinished(db, eq(recordingDrafts.userId, userId));

/**
 * Lists the unfinished recordings of the workspace's present members, oldest first.
 * @throws ApiError 403 unless the caller is an admin, the workspace or the operator
 */
export async function listWorkspaceRecordings(db: Database, caller: Caller): Promise<UnfinishedRecordings> {
  await requireAdmin(db, caller, caller.workspaceId);
  return listUnfinished(db, eq(members.workspaceId, caller.workspaceId));
}

async function listUnfinished(db: Database, which: SQL): Promise<UnfinishedRecordings> {
  const rows = await db
    .select({
      id: recordings.id,
      externalId: recordings.externalId,
      state: recordings.state,
      content: recordingDrafts.content,
      ownerEmail: users.email,
      failure: recordingDrafts.failure,
      createdAt: recordingDrafts.createdAt,
    })
    .from(recordingDrafts)
    .innerJoin(recordings, eq(recordings.id, recordingDrafts.recordingId))
    .innerJoin(users, eq(users.id, recordingDrafts.userId))
    .innerJoin(members, eq(members.userId, recordingDrafts.userId))
    .where(and(inArray(recordings.state, [...UNFINISHED]), which))
    .orderBy(asc(recordingDrafts.createdAt), asc(recordings.id));
  const list = rows.map(({ content, state, ...row }) => {
    const { title, startTime } = JSON.parse(content) as Pick<StartRecording, "title" | "startTime">;
    return { ...row, state: state as (typeof UNFINISHED)[number], title, startTime };
  });
  return { recordings: list };
}

/**
 * Deletes an unfinished recording with title, attendees and failure. A content-free tombstone remains, so that a
 * recorder's repeated call does not restore it.
 * @throws ApiError 404 for an unknown or completed recording, and unless the caller is its owner, an admin of the
 * owner's workspace or the operator
 */
export async function deleteUnfinishedRecording(
  db: Database,
  caller: Manager,
  recordingId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const [recording] = await tx
      .select({ ownerId: recordingDrafts.userId, workspaceId: members.workspaceId })
      .from(recordings)
      .innerJoin(recordingDrafts, eq(recordingDrafts.recordingId, recordings.id))
      .innerJoin(members, eq(members.userId, recordingDrafts.userId))
      .where(and(eq(recordings.id, recordingId), inArray(recordings.state, [...UNFINISHED])))
      .for("update", { of: recordings });
    if (!recording || !(await mayDelete(tx, caller, recording))) {
      throw new ApiError("NOT_FOUND", MESSAGES.recordingNotFound);
    }
    await eraseRecording(tx, recordingId);
    await audit(tx, caller, "recording.delete", recordingId);
  });
}

async function mayDelete(
  tx: Database,
  caller: Manager,
  { ownerId, workspaceId }: { ownerId: string; workspaceId: string },
): Promise<boolean> {
  return (caller.kind === "user" && caller.userId === ownerId) || isAdmin(tx, caller, workspaceId);
}

/** Erases the content of a recording that the transaction has locked, and leaves its tombstone. */
export async function eraseRecording(tx: Database, recordingId: string): Promise<void> {
  await tx.delete(recordingDrafts).where(eq(recordingDrafts.recordingId, recordingId));
  await tx
    .update(recordings)
    .set({ state: "deleted", startHash: null, contentHash: null, updatedAt: sql`now()` })
    .where(eq(recordings.id, recordingId));
}

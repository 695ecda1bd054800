import { MESSAGES, type RecordingAnswer } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, inArray } from "drizzle-orm";
import { ApiError } from "../lib/errors.js";
import { findUser, lockMembership, type Membership } from "../workspaces/index.js";
import { ageInSeconds } from "./expiry.js";
import { isSameFingerprint } from "./fingerprint.js";

const { members, recordingDrafts, recordings, users } = schema;

/** Identifies a recording by exactly one of its ids. */
export interface RecordingRef {
  readonly meetingId?: string | undefined;
  readonly externalId?: string | undefined;
}

/** A recording with its draft, if it has one. */
export interface Recording {
  readonly id: string;
  readonly externalId: string | null;
  readonly state: schema.RecordingState;
  readonly startHash: Uint8Array | null;
  readonly contentHash: Uint8Array | null;
  readonly ownerId: string | null;
  readonly draft: string | null;
  readonly ageSeconds: number;
}

const selectRecording = (tx: Database, workspaceId: string, { meetingId, externalId }: RecordingRef) =>
  tx
    .select({
      id: recordings.id,
      externalId: recordings.externalId,
      state: recordings.state,
      startHash: recordings.startHash,
      contentHash: recordings.contentHash,
      ownerId: recordingDrafts.userId,
      draft: recordingDrafts.content,
      ageSeconds: ageInSeconds,
    })
    .from(recordings)
    .leftJoin(recordingDrafts, eq(recordingDrafts.recordingId, recordings.id))
    .where(
      and(
        eq(recordings.workspaceId, workspaceId),
        externalId === undefined ? eq(recordings.id, meetingId ?? "") : eq(recordings.externalId, externalId),
      ),
    );

/** Finds a recording of a workspace. @returns null if there is none */
export async function findRecording(
  tx: Database,
  workspaceId: string,
  ref: RecordingRef,
): Promise<Recording | null> {
  const [recording] = await selectRecording(tx, workspaceId, ref);
  return recording ?? null;
}

/** Locks a recording of a workspace until the transaction ends. @returns null if there is none */
export async function lockRecording(
  tx: Database,
  workspaceId: string,
  ref: RecordingRef,
): Promise<Recording | null> {
  const [recording] = await selectRecording(tx, workspaceId, ref).for("update", { of: recordings });
  return recording ?? null;
}

/** Locks as `lockRecording` does. @throws ApiError 404 if there is no such recording */
export async function lockRecordingOrThrow(
  tx: Database,
  workspaceId: string,
  ref: RecordingRef,
): Promise<Recording> {
  const recording = await lockRecording(tx, workspaceId, ref);
  if (!recording) throw new ApiError("NOT_FOUND", MESSAGES.recordingNotFound);
  return recording;
}

/**
 * Locks the membership of an unfinished recording's owner until the transaction ends, so that they stay in their workspace.
 * It must be locked before the recording, as removing and moving a user do, to avoid deadlocks.
 * @returns null for a recording without a draft
 */
export async function lockDraftOwner(
  tx: Database,
  workspaceId: string,
  ref: RecordingRef,
): Promise<Membership | null> {
  const recording = await findRecording(tx, workspaceId, ref);
  return recording?.ownerId ? lockMembership(tx, recording.ownerId, "key share") : null;
}

/**
 * Locks the membership of the member with an e-mail address in a workspace, until the transaction ends.
 * @throws ApiError 404 if there is no such member
 */
export async function lockOwner(tx: Database, workspaceId: string, email: string): Promise<Membership> {
  const [owner] = await tx
    .select({ userId: members.userId, workspaceId: members.workspaceId, role: members.role })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(users.email, email), eq(members.workspaceId, workspaceId)))
    .for("key share", { of: members });
  if (!owner) throw new ApiError("NOT_FOUND", MESSAGES.ownerNotFound);
  return owner;
}

/**
 * Answers a repeated call with the current state.
 * @param known hash of the original call; null if there was none
 * @throws ApiError 409 if the original call was different, or the recording was deleted
 */
export function replayOrConflict(
  { id, externalId, state }: Recording,
  known: Uint8Array | null,
  sent: Uint8Array,
  conflict: string = MESSAGES.conflictingMeeting,
): RecordingAnswer {
  if (state === "deleted") throw new ApiError("CONFLICT", MESSAGES.deletedMeeting);
  if (!known || !isSameFingerprint(known, sent)) throw new ApiError("CONFLICT", conflict);
  return { meetingId: id, externalId, state };
}

/** A recording that an import would find by its external ID. */
export interface ImportedRecording {
  readonly externalId: string;
  readonly meetingId: string;
  /** True for a meeting that can be read; false for one that was deleted, or is not complete. */
  readonly stored: boolean;
}

/** Finds the recordings of a workspace that have one of these external IDs. */
export const findByExternalIds = (db: Database, workspaceId: string, externalIds: readonly string[]) =>
  db
    .select({ externalId: recordings.externalId, meetingId: recordings.id, state: recordings.state })
    .from(recordings)
    .where(and(eq(recordings.workspaceId, workspaceId), inArray(recordings.externalId, [...externalIds])));

/** Finds which external IDs exist in a user's workspace. @throws ApiError 404 for an unknown user */
export async function findImported(
  db: Database,
  ownerEmail: string,
  externalIds: readonly string[],
): Promise<ImportedRecording[]> {
  const { workspaceId } = await findUser(db, ownerEmail);
  const rows = await findByExternalIds(db, workspaceId, externalIds);
  return rows.map(({ externalId, meetingId, state }) => ({
    externalId: externalId ?? "",
    meetingId,
    stored: state === "completed",
  }));
}

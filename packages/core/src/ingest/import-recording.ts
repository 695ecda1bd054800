import { type ImportOverwrite, MESSAGES, type MeetingImport, type RecordingAnswer } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { authorOf } from "../access/index.js";
import { requireNotErased } from "../lib/erased-recordings.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import type { Membership } from "../workspaces/index.js";
import { moveCharge } from "../workspaces/plans/index.js";
import {
  completeMeeting,
  locksLaterSummary,
  type MeetingWithSummary,
  renderMeeting,
} from "./complete-meeting.js";
import { awaitProcessing, needsSummary } from "./complete-recording.js";
import {
  findRecording,
  lockOwner,
  lockRecording,
  lockRecordingOrThrow,
  type Recording,
  type RecordingPlace,
  replayOrConflict,
} from "./find-recording.js";
import { type AssumedField, fingerprintAssumed, isSameFingerprint } from "./fingerprint.js";
import { releaseExternalId, replaceContent } from "./overwrite.js";
import { listConflictingSpeakers, nameNotStored } from "./store-meeting.js";

const { recordingDrafts, recordings } = schema;

/** A parsed import with its rendered summary. */
interface Sent extends MeetingWithSummary {
  readonly externalId: string;
  readonly ownerEmail: string;
  readonly hash: Uint8Array;
  /** True if a summariser must write the summary. */
  readonly waits: boolean;
}

/**
 * Starts and completes a recording in one transaction. It is charged and locked like any other, with the same events.
 * Repeating it is a no-op. `replace` replaces the content of a meeting with the same `externalId`; `restore` imports a
 * deleted one again with a new ID.
 * @param summarised true if a summariser is configured
 * @param assumed fields that are not compared with a meeting of the same `externalId`
 * @throws ApiError 404 unless the owner is a member of the recorder's workspace, 409 if the id belongs to a different
 * or deleted meeting
 */
export async function importRecording(
  db: Database,
  caller: RecordingPlace,
  { replace = false, restore = false, ...input }: MeetingImport & Partial<ImportOverwrite>,
  summarised: boolean,
  assumed: readonly AssumedField[] = [],
): Promise<RecordingAnswer> {
  const { externalId, ownerEmail, ...meeting } = input;
  const sent: Sent = {
    externalId,
    ownerEmail,
    hash: await fingerprintAssumed(input, assumed),
    waits: needsSummary(meeting, summarised),
    ...(await renderMeeting(meeting)),
  };
  if (!replace && !restore) return db.transaction((tx) => importNew(tx, caller, sent));
  let answer: RecordingAnswer | null = null;
  // Each attempt reads what won the race against the one before, in a transaction of its own.
  while (!answer) answer = await db.transaction((tx) => importOver(tx, caller, sent, { replace, restore }));
  return answer;
}

async function importNew(tx: Database, caller: RecordingPlace, sent: Sent): Promise<RecordingAnswer> {
  const { externalId, ownerEmail, hash } = sent;
  const replay = (known: Recording) =>
    replayOrConflict(known, known.startHash ? null : known.contentHash, hash);
  const known = await lockRecording(tx, caller, { externalId });
  if (known) return replay(known);
  const owner = await lockOwner(tx, caller, ownerEmail);
  const id = await insertRecording(tx, caller, sent);
  if (id === null) return replay(await lockRecordingOrThrow(tx, caller, { externalId }));
  return complete(tx, id, owner, sent);
}

/**
 * Imports over an existing `externalId`. Locks the owner's membership, then the meeting, then the recording, in the
 * same order as removals and deletions.
 * @returns null if another transaction has changed the recording since it was read
 */
async function importOver(
  tx: Database,
  caller: RecordingPlace,
  sent: Sent,
  overwrite: ImportOverwrite,
): Promise<RecordingAnswer | null> {
  const { externalId, hash } = sent;
  const known = await findRecording(tx, caller, { externalId });
  if (known?.contentHash && !known.startHash && isSameFingerprint(known.contentHash, hash)) {
    return replayOrConflict(known, known.contentHash, hash);
  }
  const owner = await lockOwner(tx, caller, sent.ownerEmail);
  return known && known.state !== "deleted"
    ? replaceKnown(tx, caller, known, owner, sent, overwrite)
    : createOrRestore(tx, caller, known, owner, sent, overwrite);
}

async function createOrRestore(
  tx: Database,
  caller: RecordingPlace,
  deleted: Recording | null,
  owner: Membership,
  sent: Sent,
  { restore }: ImportOverwrite,
): Promise<RecordingAnswer | null> {
  if (deleted) {
    if (!restore) throw new ApiError("CONFLICT", MESSAGES.deletedMeeting);
    if (!(await releaseExternalId(tx, deleted.id))) return null;
  }
  const id = await insertRecording(tx, caller, sent);
  if (id === null) return null;
  await requireNotErased(tx, caller.workspaceId, sent.externalId);
  if (deleted) await moveCharge(tx, deleted.id, id, owner.userId);
  return complete(tx, id, owner, sent);
}

async function replaceKnown(
  tx: Database,
  caller: RecordingPlace,
  known: Recording,
  owner: Membership,
  sent: Sent,
  { replace }: ImportOverwrite,
): Promise<RecordingAnswer | null> {
  const { externalId, hash } = sent;
  if (!replace) throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  if (known.state === "processing") return replaceWaiting(tx, caller, owner, sent);
  if (known.state !== "completed") throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  const notStored = await replaceContent(tx, known.id, owner, {
    ...sent,
    workspaceId: caller.workspaceId,
    hash,
    actor: "via" in caller ? authorOf(caller) : owner.userId,
    keepsGenerated: sent.waits,
    locksSummary: () => locksLaterSummary(tx, known.id, owner, sent.meeting),
  });
  return notStored && { meetingId: known.id, externalId, state: "completed", ...nameNotStored(notStored) };
}

/** Replaces a recording that waits for its summary. A worker writing one notices that the content changed. */
async function replaceWaiting(
  tx: Database,
  caller: RecordingPlace,
  owner: Membership,
  sent: Sent,
): Promise<RecordingAnswer | null> {
  const { externalId, hash } = sent;
  const waiting = await lockRecording(tx, caller, { externalId });
  if (waiting?.state !== "processing") return null;
  const [draft] = await tx
    .select({ userId: recordingDrafts.userId })
    .from(recordingDrafts)
    .where(eq(recordingDrafts.recordingId, waiting.id))
    .for("update");
  if (draft?.userId !== owner.userId) throw new ApiError("CONFLICT", MESSAGES.replacedOwner);
  await requireNotErased(tx, caller.workspaceId, externalId);
  await tx
    .update(recordings)
    .set({ startHash: null, contentHash: hash })
    .where(eq(recordings.id, waiting.id));
  return complete(tx, waiting.id, owner, sent);
}

/** Inserts a recording. @returns its id; null if another one has the external ID */
async function insertRecording(
  tx: Database,
  { workspaceId }: RecordingPlace,
  { externalId, hash, waits }: Sent,
): Promise<string | null> {
  const [inserted] = await tx
    .insert(recordings)
    .values({
      id: generateId("mtg"),
      workspaceId,
      externalId,
      state: waits ? "processing" : "completed",
      contentHash: hash,
    })
    .onConflictDoNothing({ target: [recordings.workspaceId, recordings.externalId] })
    .returning({ id: recordings.id })
    .prepare("insert_recording")
    .execute();
  return inserted?.id ?? null;
}

/** Completes a recording, or queues it for its summary. */
async function complete(
  tx: Database,
  meetingId: string,
  owner: Membership,
  sent: Sent,
): Promise<RecordingAnswer> {
  const { externalId, meeting, waits } = sent;
  if (waits) await awaitProcessing(tx, meetingId, owner.userId, meeting);
  const notStored = waits
    ? listConflictingSpeakers(meeting.transcript)
    : await completeMeeting(tx, meetingId, owner, sent);
  return {
    meetingId,
    externalId,
    state: waits ? "processing" : "completed",
    ...nameNotStored(notStored),
  };
}

import { type FailRecording, MESSAGES, type RecordingAnswer, type StartRecording } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { announceFailedRecording } from "../events/index.js";
import { generateId } from "../ids.js";
import type { IngestCaller } from "../keys/index.js";
import { lockOwner, lockRecording, lockRecordingOrThrow, replayOrConflict } from "./find-recording.js";
import { fingerprintRequest } from "./fingerprint.js";

const { recordingDrafts, recordings } = schema;

/**
 * Starts a recording. It is not on `/v1` before it is completed. A repeat changes nothing.
 * @throws ApiError 404 unless the owner is a member of the recorder's workspace, 409 when the id belongs to something else
 */
export async function startRecording(
  db: Database,
  caller: IngestCaller,
  input: StartRecording,
): Promise<RecordingAnswer> {
  const { workspaceId } = caller;
  const { externalId } = input;
  const startHash = fingerprintRequest(input);
  return db.transaction(async (tx) => {
    const known = await lockRecording(tx, caller, { externalId });
    if (known) return replayOrConflict(known, known.startHash, startHash);
    const owner = await lockOwner(tx, caller, input.ownerEmail);
    const id = generateId("mtg");
    const inserted = await tx
      .insert(recordings)
      .values({ id, workspaceId, externalId, state: "recording", startHash })
      .onConflictDoNothing({ target: [recordings.workspaceId, recordings.externalId] })
      .returning({ id: recordings.id });
    if (inserted.length === 0) {
      const rival = await lockRecordingOrThrow(tx, caller, { externalId });
      return replayOrConflict(rival, rival.startHash, startHash);
    }
    const { ownerEmail: _, ...content } = input;
    await tx
      .insert(recordingDrafts)
      .values({ recordingId: id, userId: owner.userId, content: JSON.stringify(content) });
    return { meetingId: id, externalId, state: "recording" };
  });
}

/**
 * Marks a recording as failed. A repeat changes nothing.
 * @throws ApiError 404 for an unknown recording, 409 when it ended in another way
 */
export async function failRecording(
  db: Database,
  caller: IngestCaller,
  { reason, ...ref }: FailRecording,
): Promise<RecordingAnswer> {
  const hash = fingerprintRequest({ reason });
  return db.transaction(async (tx) => {
    const recording = await lockRecordingOrThrow(tx, caller, ref);
    const { id, externalId } = recording;
    if (recording.contentHash || recording.state === "deleted") {
      return replayOrConflict(recording, recording.contentHash, hash, MESSAGES.recordingEnded);
    }
    await tx
      .update(recordings)
      .set({ state: "failed", contentHash: hash, updatedAt: sql`now()` })
      .where(eq(recordings.id, id));
    const [draft] = await tx
      .update(recordingDrafts)
      .set({ failure: reason, updatedAt: sql`now()` })
      .where(eq(recordingDrafts.recordingId, id))
      .returning({ userId: recordingDrafts.userId });
    if (draft) await announceFailedRecording(tx, { id, externalId, userId: draft.userId });
    return { meetingId: id, externalId, state: "failed" };
  });
}

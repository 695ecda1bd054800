import { type FailRecording, MESSAGES, type RecordingAnswer } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import type { RecorderCaller } from "../access/index.js";
import { recordFailureEvent } from "../events/index.js";
import { lockRecordingOrThrow, replayOrConflict } from "./find-recording.js";
import { fingerprintRequest } from "./fingerprint.js";

const { recordingDrafts, recordings } = schema;

/**
 * Marks a recording as failed. Repeating it is a no-op.
 * @throws ApiError 404 for an unknown recording, 409 if it ended with another result
 */
export async function failRecording(
  db: Database,
  caller: RecorderCaller,
  { reason, ...ref }: FailRecording,
): Promise<RecordingAnswer> {
  const hash = fingerprintRequest({ reason });
  return db.transaction(async (tx) => {
    const recording = await lockRecordingOrThrow(tx, caller.workspaceId, ref);
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
    if (draft) await recordFailureEvent(tx, { id, externalId, userId: draft.userId });
    return { meetingId: id, externalId, state: "failed" };
  });
}

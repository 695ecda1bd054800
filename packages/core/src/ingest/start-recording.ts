import type { RecordingAnswer, StartRecording } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import type { RecorderCaller } from "../access/index.js";
import { generateId } from "../lib/ids.js";
import { lockOwner, lockRecording, lockRecordingOrThrow, replayOrConflict } from "./find-recording.js";
import { fingerprintRequest } from "./fingerprint.js";

const { recordingDrafts, recordings } = schema;

/**
 * Starts a recording, which is not on `/v1` until it is completed. Repeating it is a no-op.
 * @throws ApiError 404 unless the owner is a member of the recorder's workspace, 409 if the id belongs to something
 * else
 */
export async function startRecording(
  db: Database,
  { workspaceId }: RecorderCaller,
  input: StartRecording,
): Promise<RecordingAnswer> {
  const { externalId } = input;
  const startHash = fingerprintRequest(input);
  return db.transaction(async (tx) => {
    const known = await lockRecording(tx, workspaceId, { externalId });
    if (known) return replayOrConflict(known, known.startHash, startHash);
    const owner = await lockOwner(tx, workspaceId, input.ownerEmail);
    const id = generateId("mtg");
    const inserted = await tx
      .insert(recordings)
      .values({ id, workspaceId, externalId, state: "recording", startHash })
      .onConflictDoNothing({ target: [recordings.workspaceId, recordings.externalId] })
      .returning({ id: recordings.id });
    if (inserted.length === 0) {
      const rival = await lockRecordingOrThrow(tx, workspaceId, { externalId });
      return replayOrConflict(rival, rival.startHash, startHash);
    }
    const { ownerEmail: _, ...content } = input;
    await tx
      .insert(recordingDrafts)
      .values({ recordingId: id, userId: owner.userId, content: JSON.stringify(content) });
    return { meetingId: id, externalId, state: "recording" };
  });
}

import type { MeetingImport, RecordingAnswer } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { generateId } from "../ids.js";
import { completeMeeting, renderMeeting } from "./complete-meeting.js";
import { awaitProcessing, needsSummary } from "./complete-recording.js";
import {
  lockOwner,
  lockRecording,
  lockRecordingOrThrow,
  type RecordingPlace,
  replayOrConflict,
} from "./find-recording.js";
import { fingerprintRequest } from "./fingerprint.js";

const { recordings } = schema;

/**
 * Starts and completes a recording in one transaction. It is charged, locked and announced as any other. A repeat changes
 * nothing.
 * @param summarised true when there is a summariser
 * @throws ApiError 404 unless the owner is a member of the recorder's workspace, 409 when the id belongs to a different or
 * deleted meeting
 */
export async function importRecording(
  db: Database,
  caller: RecordingPlace,
  input: MeetingImport,
  summarised: boolean,
): Promise<RecordingAnswer> {
  const { externalId, ownerEmail, ...meeting } = input;
  const hash = fingerprintRequest(input);
  const rendered = await renderMeeting(meeting);
  return db.transaction(async (tx) => {
    const known = await lockRecording(tx, caller, { externalId });
    if (known) return replayOrConflict(known, known.startHash ? null : known.contentHash, hash);
    const owner = await lockOwner(tx, caller, ownerEmail);
    const id = generateId("mtg");
    const waits = needsSummary(meeting, summarised);
    const inserted = await tx
      .insert(recordings)
      .values({
        id,
        workspaceId: caller.workspaceId,
        externalId,
        state: waits ? "processing" : "completed",
        contentHash: hash,
      })
      .onConflictDoNothing({ target: [recordings.workspaceId, recordings.externalId] })
      .returning({ id: recordings.id })
      .prepare("insert_recording")
      .execute();
    if (inserted.length === 0) {
      const rival = await lockRecordingOrThrow(tx, caller, { externalId });
      return replayOrConflict(rival, rival.startHash ? null : rival.contentHash, hash);
    }
    if (waits) await awaitProcessing(tx, id, owner.userId, meeting);
    else await completeMeeting(tx, id, owner, rendered);
    return { meetingId: id, externalId, state: waits ? "processing" : "completed" };
  });
}

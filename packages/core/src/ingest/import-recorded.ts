import type { MeetingImport, RecordingAnswer } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { newId } from "../ids.js";
import type { IngestCaller } from "../keys/index.js";
import { awaitProcessing, needsSummary } from "./complete-recording.js";
import { contentHash } from "./content-hash.js";
import { finish } from "./finish.js";
import { findRecording, lockOwner, mustFind, repeated } from "./recordings.js";

const { recordings } = schema;

/**
 * Start and completion of a recording in one call and one transaction: it is charged, locked and announced as any
 * other. A repeat changes nothing.
 * @throws ApiError 404 unless the owner is a member of the recorder's workspace, 409 when the id belongs to a
 * different or deleted meeting.
 */
export async function importRecorded(
  db: Database,
  caller: IngestCaller,
  input: MeetingImport,
  summarised: boolean,
): Promise<RecordingAnswer> {
  const { externalId, ownerEmail, ...meeting } = input;
  const hash = contentHash(input);
  return db.transaction(async (tx) => {
    const known = await findRecording(tx, caller, { externalId });
    if (known) return repeated(known, known.startHash ? null : known.contentHash, hash);
    const owner = await lockOwner(tx, caller, ownerEmail);
    const id = newId("mtg");
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
      .returning({ id: recordings.id });
    if (inserted.length === 0) {
      const rival = await mustFind(tx, caller, { externalId });
      return repeated(rival, rival.startHash ? null : rival.contentHash, hash);
    }
    if (waits) await awaitProcessing(tx, id, owner.userId, meeting);
    else await finish(tx, id, owner, meeting);
    return { meetingId: id, externalId, state: waits ? "processing" : "completed" };
  });
}

import {
  type CompleteRecording,
  MESSAGES,
  type RecordingAnswer,
  type StartRecording,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import type { IngestCaller } from "../keys/index.js";
import { contentHash } from "./content-hash.js";
import { finish, tooShort } from "./finish.js";
import { lockDraftOwner, mustFind, repeated } from "./recordings.js";
import type { Content } from "./store-meeting.js";

const { recordingDrafts, recordings } = schema;

/**
 * Completes a started recording, in one transaction. It belongs to its owner, wherever he is by now. Where a
 * summary is still to be made, it waits as `processing` (processing.ts). A repeat changes nothing.
 * @throws ApiError 404 for an unknown recording, 409 when it ended otherwise, 400 when it would end before it began.
 */
export async function completeRecording(
  db: Database,
  caller: IngestCaller,
  input: CompleteRecording,
  summarised: boolean,
): Promise<RecordingAnswer> {
  const { meetingId, externalId, ...content } = input;
  const hash = contentHash(content);
  return db.transaction(async (tx) => {
    const owner = await lockDraftOwner(tx, caller, { meetingId, externalId });
    const recording = await mustFind(tx, caller, { meetingId, externalId });
    if (recording.contentHash || recording.state === "deleted") {
      const conflict = recording.state === "failed" ? MESSAGES.recordingEnded : MESSAGES.conflictingMeeting;
      return repeated(recording, recording.contentHash, hash, conflict);
    }
    if (recording.draft === null || owner === null) {
      throw new ApiError("CONFLICT", MESSAGES.notStarted);
    }
    const { externalId: _, ...started } = JSON.parse(recording.draft) as Omit<StartRecording, "ownerEmail">;
    if (content.endTime < started.startTime) throw new ApiError("BAD_REQUEST", MESSAGES.endBeforeStart);
    const meeting: Content = { ...started, ...content };
    await tx.update(recordings).set({ contentHash: hash }).where(eq(recordings.id, recording.id));

    const answer = { meetingId: recording.id, externalId: recording.externalId };
    if (needsSummary(meeting, summarised)) {
      await awaitProcessing(tx, recording.id, owner.userId, meeting);
      return { ...answer, state: "processing" };
    }
    await finish(tx, recording.id, owner, meeting);
    return { ...answer, state: "completed" };
  });
}

/** True when a summary is wanted and can be made. */
export const needsSummary = (meeting: Content, summarised: boolean): boolean =>
  summarised && meeting.summary === undefined && !tooShort(meeting);

/** Puts a whole meeting where a worker finds it; from here on nothing that the recorder sent can be lost. */
export async function awaitProcessing(
  tx: Database,
  recordingId: string,
  userId: string,
  meeting: Content,
): Promise<void> {
  const waiting = { content: JSON.stringify(meeting), dueAt: sql`now()` };
  await tx
    .insert(recordingDrafts)
    .values({ recordingId, userId, ...waiting })
    .onConflictDoUpdate({ target: recordingDrafts.recordingId, set: { ...waiting, updatedAt: sql`now()` } });
  await tx
    .update(recordings)
    .set({ state: "processing", updatedAt: sql`now()` })
    .where(eq(recordings.id, recordingId));
}

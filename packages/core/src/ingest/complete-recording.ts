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
import { renderSummary } from "../meetings/index.js";
import { isExpired } from "../recordings/index.js";
import { completeMeeting, isTooShortToSummarise } from "./complete-meeting.js";
import { lockDraftOwner, lockRecordingOrThrow, replayOrConflict } from "./find-recording.js";
import { fingerprintRequest } from "./fingerprint.js";
import type { MeetingContent } from "./store-meeting.js";

const { recordingDrafts, recordings } = schema;

export interface CompletionOptions {
  /** True when there is a summariser. */
  readonly summarised: boolean;
  /** Days after its start in which a recording may be completed. */
  readonly expiryDays: number;
}

/**
 * Completes a started recording in one transaction. The meeting belongs to its owner, in whatever workspace they are by
 * now. With a summariser, a recording without a summary waits as `processing` (processing.ts). A repeat changes nothing.
 * @throws ApiError 404 for an unknown recording, 409 when it ended in another way or expired, 400 when it would end before it began
 */
export async function completeRecording(
  db: Database,
  caller: IngestCaller,
  input: CompleteRecording,
  { summarised, expiryDays }: CompletionOptions,
): Promise<RecordingAnswer> {
  const { meetingId, externalId, ...content } = input;
  const hash = fingerprintRequest(content);
  const summary = content.summary ? await renderSummary(content.summary) : null;
  return db.transaction(async (tx) => {
    const owner = await lockDraftOwner(tx, caller, { meetingId, externalId });
    const recording = await lockRecordingOrThrow(tx, caller, { meetingId, externalId });
    if (recording.contentHash || recording.state === "deleted") {
      const conflict = recording.state === "failed" ? MESSAGES.recordingEnded : MESSAGES.conflictingMeeting;
      return replayOrConflict(recording, recording.contentHash, hash, conflict);
    }
    if (recording.draft === null || owner === null) {
      throw new ApiError("CONFLICT", MESSAGES.notStarted);
    }
    if (isExpired(recording.ageSeconds, expiryDays)) {
      throw new ApiError("CONFLICT", MESSAGES.recordingExpired);
    }
    const { externalId: _, ...started } = JSON.parse(recording.draft) as Omit<StartRecording, "ownerEmail">;
    if (content.endTime < started.startTime) throw new ApiError("BAD_REQUEST", MESSAGES.endBeforeStart);
    const meeting: MeetingContent = { ...started, ...content };
    await tx.update(recordings).set({ contentHash: hash }).where(eq(recordings.id, recording.id));

    const answer = { meetingId: recording.id, externalId: recording.externalId };
    if (needsSummary(meeting, summarised)) {
      await awaitProcessing(tx, recording.id, owner.userId, meeting);
      return { ...answer, state: "processing" };
    }
    await completeMeeting(tx, recording.id, owner, { meeting, summary });
    return { ...answer, state: "completed" };
  });
}

/** Returns true for a meeting without a summary, long enough to have one, while there is a summariser. */
export const needsSummary = (meeting: MeetingContent, summarised: boolean): boolean =>
  summarised && meeting.summary === undefined && !isTooShortToSummarise(meeting);

/** Stores a whole meeting for the worker that adds its summary. After this, nothing that the recorder sent can be lost. */
export async function awaitProcessing(
  tx: Database,
  recordingId: string,
  userId: string,
  meeting: MeetingContent,
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

import {
  type CompleteRecording,
  MESSAGES,
  type RecordingAnswer,
  type StartRecording,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import type { RecorderCaller } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { renderSummary } from "../meetings/index.js";
import { isTooShortToSummarise } from "../workspaces/plans/index.js";
import { completeMeeting } from "./complete-meeting.js";
import { isExpired } from "./expiry.js";
import { lockDraftOwner, lockRecordingOrThrow, replayOrConflict } from "./find-recording.js";
import { fingerprintMeeting } from "./fingerprint.js";
import type { SummaryQueue } from "./processing.js";
import { listConflictingSpeakers, type MeetingContent, nameNotStored } from "./store-meeting.js";

const { recordingDrafts, recordings } = schema;

/**
 * Completes a started recording in one transaction. The meeting belongs to its owner, in their current workspace. With
 * a summariser, a recording without a summary waits as `processing` (processing.ts). Repeating it is a no-op.
 * @throws ApiError 404 for an unknown recording, 409 if it ended with another result or expired, 400 if it would end
 * before it began
 */
export async function completeRecording(
  db: Database,
  caller: RecorderCaller,
  input: CompleteRecording,
  { summaries, recordingDays }: { readonly summaries: SummaryQueue; readonly recordingDays: number },
): Promise<RecordingAnswer> {
  const { meetingId, externalId, ...content } = input;
  const hash = await fingerprintMeeting(content);
  const summary = content.summary ? await renderSummary(content.summary) : null;
  const answer = await db.transaction<RecordingAnswer>(async (tx) => {
    const owner = await lockDraftOwner(tx, caller.workspaceId, { meetingId, externalId });
    const recording = await lockRecordingOrThrow(tx, caller.workspaceId, { meetingId, externalId });
    if (recording.contentHash || recording.state === "deleted") {
      const conflict = recording.state === "failed" ? MESSAGES.recordingEnded : MESSAGES.conflictingMeeting;
      return replayOrConflict(recording, recording.contentHash, hash, conflict);
    }
    if (recording.draft === null || owner === null) {
      throw new ApiError("CONFLICT", MESSAGES.notStarted);
    }
    if (isExpired(recording.ageSeconds, recordingDays)) {
      throw new ApiError("CONFLICT", MESSAGES.recordingExpired);
    }
    const { externalId: _, ...started } = JSON.parse(recording.draft) as Omit<StartRecording, "ownerEmail">;
    if (content.endTime < started.startTime) throw new ApiError("BAD_REQUEST", MESSAGES.endBeforeStart);
    const meeting: MeetingContent = { ...started, ...content };
    await tx.update(recordings).set({ contentHash: hash }).where(eq(recordings.id, recording.id));

    const completed = { meetingId: recording.id, externalId: recording.externalId };
    if (needsSummary(meeting, summaries)) {
      await awaitProcessing(tx, recording.id, owner.userId, meeting);
      return {
        ...completed,
        state: "processing",
        ...nameNotStored(listConflictingSpeakers(meeting.transcript)),
      };
    }
    const notStored = await completeMeeting(tx, recording.id, owner, { meeting, summary });
    return { ...completed, state: "completed", ...nameNotStored(notStored) };
  });
  if (answer.state === "processing") summaries.wake();
  return answer;
}

/** Returns true for a meeting without a summary that is long enough for one, if there is a summariser. */
export const needsSummary = (meeting: MeetingContent, { enabled }: SummaryQueue): boolean =>
  enabled && meeting.summary === undefined && !isTooShortToSummarise(meeting.transcript);

/**
 * Stores a complete meeting for the worker that adds its summary. From then on, nothing that the recorder sent can be
 * lost.
 */
export async function awaitProcessing(
  tx: Database,
  recordingId: string,
  userId: string,
  meeting: MeetingContent,
): Promise<void> {
  const waiting = { content: JSON.stringify(meeting), attempts: 0, dueAt: sql`now()` };
  await tx
    .insert(recordingDrafts)
    .values({ recordingId, userId, ...waiting })
    .onConflictDoUpdate({ target: recordingDrafts.recordingId, set: { ...waiting, updatedAt: sql`now()` } });
  await tx
    .update(recordings)
    .set({ state: "processing", updatedAt: sql`now()` })
    .where(eq(recordings.id, recordingId));
}

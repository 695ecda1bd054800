import {
  LIMITS,
  MESSAGES,
  TRANSCRIPTION_FAILURES,
  type Transcription,
  type TranscriptionList,
} from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, desc, eq, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { UserCaller } from "../../access/callers.js";
import { ApiError } from "../../lib/errors.js";
import { isVisible, sentBy, type Uploader } from "./store.js";

const { meetings, recordingDrafts, recordings, transcriptions } = schema;

/** The audio of this process's uploads. */
export interface UploadedAudio {
  /** Deletes the audio of a recording, and ends its transcription in this process. */
  remove(id: string): Promise<void>;
}

/** Why a process receives no audio, in a sentence. */
export interface NoAudio {
  readonly refusal: string;
}

/** Selects the recordings of a user, including those that recorders upload for them. */
export const transcribedFor = ({ userId, workspaceId }: UserCaller): SQL | undefined =>
  and(eq(transcriptions.userId, userId), eq(transcriptions.workspaceId, workspaceId), isVisible);

const { id, state, name: fileName, size, received, parts, partsHeard, failure, meetingId } = transcriptions;
const { createdAt, startedAt, updatedAt } = transcriptions;
const shownState = sql<Transcription["state"]>`case
  when ${state} = 'storing' then 'transcribing'
  when ${state} = 'completed' and ${recordings.state} = 'processing' then 'summarizing'
  else ${state} end`;
/** A meeting whose summary is being written has its title in the draft. */
const title = sql<string | null>`coalesce(${meetings.title},
  case when ${recordings.state} = 'processing' then ${recordingDrafts.content}::json ->> 'title' end)`;
const COLUMNS = {
  ...{ id, fileName, state: shownState, size, received, parts, partsHeard },
  ...{ failure, meetingId, title, createdAt, updatedAt },
};

const select = (db: Database, where: SQL | undefined) =>
  db
    .select(COLUMNS)
    .from(transcriptions)
    .leftJoin(recordings, eq(recordings.id, meetingId))
    .leftJoin(meetings, and(eq(meetings.id, meetingId), eq(meetings.userId, transcriptions.userId)))
    .leftJoin(
      recordingDrafts,
      and(eq(recordingDrafts.recordingId, meetingId), eq(recordingDrafts.userId, transcriptions.userId)),
    )
    .where(where)
    .orderBy(desc(createdAt), desc(id));

type Row = Awaited<ReturnType<typeof select>>[number];

const toAnswer = ({ failure, parts, partsHeard, ...row }: Row): Transcription => ({
  ...row,
  parts: parts === null ? null : { finished: partsHeard, total: parts },
  failure: failure === null ? null : TRANSCRIPTION_FAILURES[failure as keyof typeof TRANSCRIPTION_FAILURES],
});

/** Lists the user's latest recordings that were uploaded, newest first. */
export async function listTranscriptions(
  db: Database,
  caller: UserCaller,
  audio: UploadedAudio | NoAudio,
): Promise<TranscriptionList> {
  const rows = await select(db, transcribedFor(caller)).limit(LIMITS.transcriptionsListed);
  return { transcriptions: rows.map(toAnswer), refusal: "refusal" in audio ? audio.refusal : null };
}

/** Gets one of the recordings that a user has or a recorder sent. A recorder gets no title: people change it. @throws ApiError 404 */
export async function getTranscription(
  db: Database,
  caller: Uploader,
  transcriptionId: string,
): Promise<Transcription> {
  const among = caller.kind === "user" ? transcribedFor(caller) : sentBy(caller);
  const [row] = await select(db, and(eq(id, transcriptionId), among));
  if (!row) throw new ApiError("NOT_FOUND", MESSAGES.transcriptionNotFound);
  return toAnswer(caller.kind === "user" ? row : { ...row, title: null });
}

/** What becomes of a row that was started. The next token ends its transcription in other processes. */
const EMPTY = {
  state: "canceled",
  ...{ name: null, fileKey: null, failure: null, meetingId: null, dueAt: null },
  ...{
    size: 0,
    received: 0,
    stored: 0,
    parts: null,
    partsHeard: 0,
    uploader: "{}",
    modifiedAt: sql`${createdAt}`,
  },
  token: sql`${transcriptions.token} + 1`,
} as const;

/**
 * Deletes an upload, or a recording that waits, is transcribed or has ended, with its audio. A meeting that it has become stays. Of
 * one that was started, an empty row stays until it expires, so that deleting it gets its owner no better place in the queue.
 * @param among selects the recordings of the caller
 * @param audio other processes notice within a minute
 * @throws ApiError 404; 409 while its meeting is being stored
 */
export async function deleteTranscription(
  db: Database,
  among: SQL | undefined,
  transcriptionId: string,
  audio: UploadedAudio | NoAudio,
): Promise<void> {
  const own = and(eq(id, transcriptionId), among);
  const ending = and(own, ne(state, "storing"));
  const deleted = await db
    .delete(transcriptions)
    .where(and(ending, isNull(startedAt)))
    .returning({ id });
  const emptied = await db
    .update(transcriptions)
    .set(EMPTY)
    .where(and(ending, isNotNull(startedAt)))
    .returning({ id });
  if (deleted.length + emptied.length === 0) {
    const [storing] = await db.select({ id }).from(transcriptions).where(own);
    throw storing
      ? new ApiError("CONFLICT", MESSAGES.transcriptionStoring)
      : new ApiError("NOT_FOUND", MESSAGES.transcriptionNotFound);
  }
  if ("remove" in audio) await audio.remove(transcriptionId);
}

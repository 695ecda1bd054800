import { type FailRecording, MESSAGES, type RecordingAnswer, type StartRecording } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { newId } from "../ids.js";
import type { IngestCaller } from "../keys/index.js";
import { lockMembership, type Membership } from "../workspaces/index.js";
import { contentHash, sameHash } from "./content-hash.js";

const { members, recordingDrafts, recordings, users } = schema;

/** How a recording is named: by exactly one of its ids. */
export interface RecordingRef {
  readonly meetingId?: string | undefined;
  readonly externalId?: string | undefined;
}

/** A recording as it stands, with its draft while it has one. */
export interface Recording {
  readonly id: string;
  readonly externalId: string | null;
  readonly state: schema.RecordingState;
  readonly startHash: Uint8Array | null;
  readonly contentHash: Uint8Array | null;
  readonly ownerId: string | null;
  readonly draft: string | null;
}

/**
 * Notes that a recording has begun: nobody sees it on `/v1` before it is completed. A repeat changes nothing.
 * @throws ApiError 404 unless the owner is a member of the recorder's workspace, 409 when the id belongs to
 * something else.
 */
export async function startRecording(
  db: Database,
  caller: IngestCaller,
  input: StartRecording,
): Promise<RecordingAnswer> {
  const { workspaceId } = caller;
  const { externalId } = input;
  const startHash = contentHash(input);
  return db.transaction(async (tx) => {
    const known = await findRecording(tx, caller, { externalId });
    if (known) return repeated(known, known.startHash, startHash);
    const owner = await lockOwner(tx, caller, input.ownerEmail);
    const id = newId("mtg");
    const inserted = await tx
      .insert(recordings)
      .values({ id, workspaceId, externalId, state: "recording", startHash })
      .onConflictDoNothing({ target: [recordings.workspaceId, recordings.externalId] })
      .returning({ id: recordings.id });
    if (inserted.length === 0) {
      const rival = await mustFind(tx, caller, { externalId });
      return repeated(rival, rival.startHash, startHash);
    }
    const { ownerEmail: _, ...content } = input;
    await tx
      .insert(recordingDrafts)
      .values({ recordingId: id, userId: owner.userId, content: JSON.stringify(content) });
    return { meetingId: id, externalId, state: "recording" };
  });
}

/**
 * Ends a recording that came to nothing. A repeat changes nothing.
 * @throws ApiError 404 for an unknown recording, 409 when it ended otherwise.
 */
export async function failRecording(
  db: Database,
  caller: IngestCaller,
  { reason, ...ref }: FailRecording,
): Promise<RecordingAnswer> {
  const hash = contentHash({ reason });
  return db.transaction(async (tx) => {
    const recording = await mustFind(tx, caller, ref);
    const { id, externalId } = recording;
    if (recording.contentHash || recording.state === "deleted") {
      return repeated(recording, recording.contentHash, hash, MESSAGES.recordingEnded);
    }
    await tx
      .update(recordings)
      .set({ state: "failed", contentHash: hash, updatedAt: sql`now()` })
      .where(eq(recordings.id, id));
    await tx
      .update(recordingDrafts)
      .set({ failure: reason, updatedAt: sql`now()` })
      .where(eq(recordingDrafts.recordingId, id));
    return { meetingId: id, externalId, state: "failed" };
  });
}

/** A recording of the caller's workspace, held until the transaction ends unless told otherwise; null when there is none. */
export async function findRecording(
  tx: Database,
  { workspaceId }: IngestCaller,
  { meetingId, externalId }: RecordingRef,
  { hold }: { hold: boolean } = { hold: true },
): Promise<Recording | null> {
  const named =
    externalId === undefined ? eq(recordings.id, meetingId ?? "") : eq(recordings.externalId, externalId);
  const found = tx
    .select({
      id: recordings.id,
      externalId: recordings.externalId,
      state: recordings.state,
      startHash: recordings.startHash,
      contentHash: recordings.contentHash,
      ownerId: recordingDrafts.userId,
      draft: recordingDrafts.content,
    })
    .from(recordings)
    .leftJoin(recordingDrafts, eq(recordingDrafts.recordingId, recordings.id))
    .where(and(eq(recordings.workspaceId, workspaceId), named));
  const [recording] = await (hold ? found.for("update", { of: recordings }) : found);
  return recording ?? null;
}

/** @throws ApiError 404 */
export async function mustFind(tx: Database, caller: IngestCaller, ref: RecordingRef): Promise<Recording> {
  const recording = await findRecording(tx, caller, ref);
  if (!recording) throw new ApiError("NOT_FOUND", MESSAGES.recordingNotFound);
  return recording;
}

/**
 * The membership of an unfinished recording's owner, held until the transaction ends: before the recording itself is,
 * as whoever removes or moves a user does. Null for a recording that has no draft.
 */
export async function lockDraftOwner(
  tx: Database,
  caller: IngestCaller,
  ref: RecordingRef,
): Promise<Membership | null> {
  const recording = await findRecording(tx, caller, ref, { hold: false });
  return recording?.ownerId ? lockMembership(tx, recording.ownerId) : null;
}

/**
 * The answer to something that was sent before.
 * @throws ApiError 409 when something else was.
 */
export function repeated(
  { id, externalId, state }: Recording,
  known: Uint8Array | null,
  sent: Uint8Array,
  conflict: string = MESSAGES.conflictingMeeting,
): RecordingAnswer {
  if (state === "deleted") throw new ApiError("CONFLICT", MESSAGES.deletedMeeting);
  if (!known || !sameHash(known, sent)) throw new ApiError("CONFLICT", conflict);
  return { meetingId: id, externalId, state };
}

/**
 * The member of the recorder's workspace who has an e-mail address, held until the transaction ends.
 * @throws ApiError 404
 */
export async function lockOwner(
  tx: Database,
  { workspaceId }: IngestCaller,
  email: string,
): Promise<Membership> {
  const [owner] = await tx
    .select({ userId: members.userId, workspaceId: members.workspaceId, role: members.role })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(users.email, email), eq(members.workspaceId, workspaceId)))
    .for("update", { of: members });
  if (!owner) throw new ApiError("NOT_FOUND", MESSAGES.ownerNotFound);
  return owner;
}

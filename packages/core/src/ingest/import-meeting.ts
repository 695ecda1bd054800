import { createHash } from "node:crypto";
import {
  type BatchMeeting,
  type ImportOverwrite,
  MESSAGES,
  type MeetingImport,
  type RecordingAnswer,
} from "@minutes/contract";
import { type Database, type Deadline, endWith, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { OPERATOR } from "../access/actor.js";
import { audit } from "../access/audit.js";
import { authorOf, type OperatorCaller, type RecorderCaller, type UserCaller } from "../access/index.js";
import { requireNotErased } from "../lib/erased-recordings.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { findUser, type Membership } from "../workspaces/index.js";
import { moveCharge } from "../workspaces/plans/index.js";
import {
  completeMeeting,
  locksLaterSummary,
  type MeetingWithSummary,
  renderMeeting,
} from "./complete-meeting.js";
import { awaitProcessing, needsSummary } from "./complete-recording.js";
import {
  findByExternalIds,
  findRecording,
  lockOwner,
  lockRecording,
  type Recording,
} from "./find-recording.js";
import { type AssumedField, fingerprintAssumed, isSameFingerprint } from "./fingerprint.js";
import { releaseExternalId, replaceContent } from "./overwrite.js";
import { NO_SUMMARIES, type SummaryQueue } from "./processing.js";
import { listConflictingSpeakers, nameNotStored, storeMeeting } from "./store-meeting.js";

const { recordingDrafts, recordings } = schema;

/** A parsed import. `assumed` fields are not compared with a meeting of the same `externalId`. */
type Input = MeetingImport & Partial<ImportOverwrite> & { readonly assumed?: readonly AssumedField[] };

/** Who imports. The operator's imports are neither charged, summarized nor announced, unless they replace a meeting. */
interface Importer {
  readonly caller: UserCaller | RecorderCaller | OperatorCaller;
  /** The workspace of the owner and of the external ID. */
  readonly workspaceId: string;
}

/** A prepared import with its rendered summary. */
interface Sent extends MeetingWithSummary, ImportOverwrite {
  readonly externalId: string;
  readonly ownerEmail: string;
  readonly hash: Uint8Array;
  /** True if a summariser must write the summary. */
  readonly waits: boolean;
}

interface Imported {
  readonly outcome: "created" | "replaced" | "unchanged";
  readonly meetingId: string;
  readonly state: RecordingAnswer["state"];
  /** Fields that were sent but not stored. */
  readonly notStored: string[];
}

/** The result of the operator's import. */
export interface ImportResult {
  readonly meetingId: string;
  /** False if a meeting with the same `externalId` exists already. Unless `replaced`, nothing changed. */
  readonly created: boolean;
  /** True if the content of a meeting was replaced; otherwise absent. */
  readonly replaced?: true;
  /** Fields that were sent but not stored; absent if everything was stored. */
  readonly notStored?: string[];
}

/**
 * Imports a meeting for the operator. Idempotent by `externalId` within the owner's workspace. `replace` replaces the content
 * of a meeting with the same `externalId`; `restore` imports a deleted one again with a new ID.
 * @throws ApiError 404 for an unknown owner, 409 if the ID belongs to a different or deleted meeting that is not replaced
 * or restored
 */
export async function importMeeting(db: Database, input: Input): Promise<ImportResult> {
  const { userId, workspaceId } = await findUser(db, input.ownerEmail);
  const importer = { caller: OPERATOR, workspaceId };
  // Hashes the owner's ID, because their address can change between two imports.
  const { meetingId, outcome, notStored } = await importAs(db, importer, input, NO_SUMMARIES, userId);
  return {
    meetingId,
    created: outcome === "created",
    ...(outcome === "replaced" ? { replaced: true } : {}),
    ...nameNotStored(notStored),
  };
}

/**
 * Starts and completes a recording at once. It is charged and locked like any other, with the same events. Otherwise as
 * `importMeeting`.
 * @throws ApiError 404 unless the owner is a member of the recorder's workspace, 409
 */
export async function importRecording(
  db: Database,
  caller: RecorderCaller,
  input: Input,
  summaries: SummaryQueue,
): Promise<RecordingAnswer> {
  const { workspaceId } = caller;
  return toAnswer(input.externalId, await importAs(db, { caller, workspaceId }, input, summaries));
}

/** Returns the imports of a batch, each on its own, as `importRecording`. An invalid meeting is refused with 400. */
export const listImports = (
  db: Database,
  caller: RecorderCaller,
  meetings: readonly BatchMeeting[],
  summaries: SummaryQueue,
) =>
  meetings.map((checked) => async (deadline: Deadline): Promise<RecordingAnswer> => {
    if ("refused" in checked) throw new ApiError("BAD_REQUEST", checked.refused);
    return importRecording(endWith(deadline, db), caller, checked.meeting, summaries);
  });

/**
 * Imports a meeting that a user uploads as their own, as `importRecording` does.
 * @throws ApiError 404 if they have just left the workspace, 409 if they deleted the meeting or changed the file
 */
export async function uploadMeeting(
  db: Database,
  caller: UserCaller,
  input: Input,
  summaries: SummaryQueue,
): Promise<RecordingAnswer & { readonly created: boolean }> {
  const { userId, workspaceId } = caller;
  const externalId = toUploadId(userId, input.externalId);
  const imported = await importAs(db, { caller, workspaceId }, { ...input, externalId }, summaries);
  return { ...toAnswer(externalId, imported), created: imported.outcome === "created" };
}

/** Returns an external ID in the user's own namespace, so that it can't collide with a recorder's meeting. */
const toUploadId = (userId: string, externalId: string): string =>
  `upload:${createHash("sha256").update(`${userId}\n${externalId}`).digest("hex")}`;

/** Finds which of these meetings the user has uploaded before, by their external IDs. Deleted ones are not among them. */
export async function findUploaded(
  db: Database,
  { userId, workspaceId }: UserCaller,
  externalIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const ids = new Map(externalIds.map((externalId) => [toUploadId(userId, externalId), externalId]));
  const found = await findByExternalIds(db, workspaceId, [...ids.keys()]);
  const kept = found.filter(({ state }) => state === "completed" || state === "processing");
  return new Set(kept.flatMap(({ externalId }) => ids.get(externalId ?? "") ?? []));
}

const toAnswer = (externalId: string, { meetingId, state, notStored }: Imported): RecordingAnswer => ({
  meetingId,
  externalId,
  state,
  ...nameNotStored(notStored),
});

async function importAs(
  db: Database,
  importer: Importer,
  { replace = false, restore = false, assumed = [], ...input }: Input,
  summaries: SummaryQueue,
  hashedOwner = input.ownerEmail,
): Promise<Imported> {
  const { externalId, ownerEmail, ...meeting } = input;
  const sent: Sent = {
    externalId,
    ownerEmail,
    replace,
    restore,
    hash: await fingerprintAssumed({ ...input, ownerEmail: hashedOwner }, assumed),
    waits: needsSummary(meeting, summaries),
    ...(await renderMeeting(meeting)),
  };
  let imported: Imported | null = null;
  // Each attempt reads what won the race against the one before, in a transaction of its own.
  while (!imported) imported = await db.transaction((tx) => attempt(tx, importer, sent));
  if (imported.state === "processing") summaries.wake();
  return imported;
}

/**
 * Imports in one transaction. Locks the owner's membership, then the meeting, then the recording, in the same order as
 * removals and deletions.
 * @returns null if another transaction has changed the recording since it was read
 */
async function attempt(tx: Database, importer: Importer, sent: Sent): Promise<Imported | null> {
  const { workspaceId } = importer;
  const { externalId, hash } = sent;
  const known = await findRecording(tx, workspaceId, { externalId });
  if (!known || known.state === "deleted") {
    if (known && !sent.restore) throw new ApiError("CONFLICT", MESSAGES.deletedMeeting);
    const owner = await lockOwner(tx, workspaceId, sent.ownerEmail);
    return createOrRestore(tx, importer, known, owner, sent);
  }
  const { id: meetingId, state, startHash, contentHash } = known;
  if (contentHash && !startHash && isSameFingerprint(contentHash, hash)) {
    return { outcome: "unchanged", meetingId, state, notStored: [] };
  }
  if (!sent.replace) throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  return replaceKnown(tx, importer, known, await lockOwner(tx, workspaceId, sent.ownerEmail), sent);
}

async function createOrRestore(
  tx: Database,
  importer: Importer,
  deleted: Recording | null,
  owner: Membership,
  sent: Sent,
): Promise<Imported | null> {
  const { caller, workspaceId } = importer;
  const { externalId, hash, replace, restore, waits } = sent;
  if (deleted && !(await releaseExternalId(tx, deleted.id))) return null;
  const meetingId = generateId("mtg");
  const inserted = await tx
    .insert(recordings)
    .values({
      id: meetingId,
      workspaceId,
      externalId,
      state: waits ? "processing" : "completed",
      contentHash: hash,
    })
    .onConflictDoNothing({ target: [recordings.workspaceId, recordings.externalId] })
    .returning({ id: recordings.id })
    .prepare("insert_recording")
    .execute();
  if (inserted.length === 0) return null;
  if (replace || restore) await requireNotErased(tx, workspaceId, externalId);
  if (deleted) await moveCharge(tx, deleted.id, meetingId, owner.userId);
  if (caller.kind === "user") await audit(tx, caller, "import.meeting", meetingId);
  return { outcome: "created", ...(await complete(tx, importer, meetingId, owner, sent)) };
}

async function replaceKnown(
  tx: Database,
  { caller, workspaceId }: Importer,
  known: Recording,
  owner: Membership,
  sent: Sent,
): Promise<Imported | null> {
  const isOperator = caller.kind === "operator";
  if (known.state === "processing" && !isOperator)
    return replaceWaiting(tx, { caller, workspaceId }, owner, sent);
  if (known.state !== "completed") throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  const notStored = await replaceContent(tx, known.id, owner, {
    ...sent,
    workspaceId,
    actor: authorOf(caller),
    keepsGenerated: sent.waits,
    locksSummary: async () => !isOperator && locksLaterSummary(tx, known.id, owner, sent.meeting),
  });
  return notStored && { outcome: "replaced", meetingId: known.id, state: "completed", notStored };
}

/** Replaces a recording that waits for its summary. A worker writing one notices that the content changed. */
async function replaceWaiting(
  tx: Database,
  importer: Importer,
  owner: Membership,
  sent: Sent,
): Promise<Imported | null> {
  const { workspaceId } = importer;
  const { externalId, hash } = sent;
  const waiting = await lockRecording(tx, workspaceId, { externalId });
  if (waiting?.state !== "processing") return null;
  const [draft] = await tx
    .select({ userId: recordingDrafts.userId })
    .from(recordingDrafts)
    .where(eq(recordingDrafts.recordingId, waiting.id))
    .for("update");
  if (draft?.userId !== owner.userId) throw new ApiError("CONFLICT", MESSAGES.replacedOwner);
  await requireNotErased(tx, workspaceId, externalId);
  await tx
    .update(recordings)
    .set({ startHash: null, contentHash: hash })
    .where(eq(recordings.id, waiting.id));
  return { outcome: "replaced", ...(await complete(tx, importer, waiting.id, owner, sent)) };
}

/** Completes a recording, or queues it for its summary. */
async function complete(
  tx: Database,
  { caller }: Importer,
  meetingId: string,
  owner: Membership,
  sent: Sent,
): Promise<Omit<Imported, "outcome">> {
  const { meeting, summary, waits } = sent;
  if (waits) {
    await awaitProcessing(tx, meetingId, owner.userId, meeting);
    return { meetingId, state: "processing", notStored: listConflictingSpeakers(meeting.transcript) };
  }
  const notStored =
    caller.kind === "operator"
      ? await storeMeeting(tx, meetingId, owner, meeting, { summary, locked: false })
      : await completeMeeting(tx, meetingId, owner, sent);
  return { meetingId, state: "completed", notStored };
}

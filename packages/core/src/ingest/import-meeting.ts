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
import { takeTurn } from "../api/rate-limit/index.js";
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

const { meetings, recordingDrafts, recordings } = schema;

/** A parsed import. `assumed` fields are not compared with a meeting of the same `externalId`. */
type Input = MeetingImport & Partial<ImportOverwrite> & { readonly assumed?: readonly AssumedField[] };

/** Who imports, and how. */
interface Importer {
  readonly caller: UserCaller | RecorderCaller | OperatorCaller;
  /** The workspace of the owner and of the external ID. */
  readonly workspaceId: string;
  /** True for old meetings: they are neither charged, summarized nor announced, unless they replace a meeting. */
  readonly quiet: boolean;
}

/** A prepared import with its rendered summary. */
interface Sent extends MeetingWithSummary, ImportOverwrite {
  readonly externalId: string;
  readonly ownerEmail: string;
  readonly hash: Uint8Array;
  /** True if a summariser must write the summary. */
  readonly waits: boolean;
  /** True if the words were recognized, so that the same recording can have others. */
  readonly transcribed: boolean;
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
  /** True for a meeting that can be read only when its summary is written; otherwise absent. */
  readonly waits?: true;
  /** Fields that were sent but not stored; absent if everything was stored. */
  readonly notStored?: string[];
  /** Start of the meeting that exists already and didn't change; otherwise absent. */
  readonly startTime?: string;
}

/**
 * Imports an old meeting for the operator. Idempotent by `externalId` within the owner's workspace. `replace` replaces the content
 * of a meeting with the same `externalId`; `restore` imports a deleted one again with a new ID.
 * @throws ApiError 404 for an unknown owner, 409 if the ID belongs to a different or deleted meeting that is not replaced
 * or restored
 */
export const importMeeting = (db: Database, input: Input): Promise<ImportResult> =>
  importForOperator(db, input, { quiet: true }, NO_SUMMARIES);

/**
 * Imports a recording that was transcribed for the operator, as `importMeeting` does. It is new: charged, locked,
 * summarized and announced like a recorder's.
 */
export const importTranscribed = (
  db: Database,
  input: Input,
  summaries: SummaryQueue,
): Promise<ImportResult> => importForOperator(db, input, { quiet: false }, summaries);

async function importForOperator(
  db: Database,
  input: Input,
  { quiet }: Pick<Importer, "quiet">,
  summaries: SummaryQueue,
): Promise<ImportResult> {
  const { userId, workspaceId } = await findUser(db, input.ownerEmail);
  const importer = { caller: OPERATOR, workspaceId, quiet };
  // Hashes the owner's ID, because their address can change between two imports.
  const { meetingId, outcome, state, notStored } = await importAs(db, importer, input, summaries, userId);
  return {
    meetingId,
    created: outcome === "created",
    ...(outcome === "replaced" ? { replaced: true } : {}),
    ...(state === "processing" ? { waits: true } : {}),
    ...nameNotStored(notStored),
    ...(outcome === "unchanged" ? await readStart(db, meetingId) : {}),
  };
}

const readStart = async (db: Database, meetingId: string): Promise<Pick<ImportResult, "startTime">> =>
  (await db.select({ startTime: meetings.startTime }).from(meetings).where(eq(meetings.id, meetingId)))[0] ??
  {};

/**
 * Finds out what `importTranscribed` would do, before a recording is transcribed. The transcript in the input is ignored.
 * @returns false if it would do nothing, because the recording was imported before
 * @throws ApiError as `importTranscribed`
 */
export async function isImportNeeded(db: Database, input: Input): Promise<boolean> {
  const { userId, workspaceId } = await findUser(db, input.ownerEmail);
  const sent = await prepare(input, NO_SUMMARIES, userId);
  const known = await findRecording(db, workspaceId, { externalId: sent.externalId });
  const action = chooseAction(known, sent);
  if (sent.replace || sent.restore) await requireNotErased(db, workspaceId, sent.externalId);
  if (action === "replace" && known?.state !== "completed" && known?.state !== "processing")
    throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  return action !== "none";
}

/**
 * Finds the meeting of a recording that the caller has sent before, before it is transcribed again. The transcript in the input is
 * ignored.
 * @returns null if there is none
 * @throws ApiError 409 if it was deleted, or if a different meeting has its `externalId`
 */
export async function findTranscribed(
  db: Database,
  caller: UserCaller | RecorderCaller,
  input: Input,
): Promise<{ readonly meetingId: string } | null> {
  const externalId = caller.kind === "user" ? toUploadId(caller.userId, input.externalId) : input.externalId;
  const sent = await prepare({ ...input, externalId }, NO_SUMMARIES, input.ownerEmail);
  const known = await findRecording(db, caller.workspaceId, { externalId });
  return chooseAction(known, sent) === "none" && known ? { meetingId: known.id } : null;
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
  return toAnswer(
    input.externalId,
    await importAs(db, { caller, workspaceId, quiet: false }, input, summaries),
  );
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
    const store = () => importRecording(endWith(deadline, db), caller, checked.meeting, summaries);
    return takeTurn(db, caller, store, deadline);
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
  const imported = await importAs(
    db,
    { caller, workspaceId, quiet: false },
    { ...input, externalId },
    summaries,
  );
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
  input: Input,
  summaries: SummaryQueue,
  hashedOwner = input.ownerEmail,
): Promise<Imported> {
  const sent = await prepare(input, summaries, hashedOwner);
  let imported: Imported | null = null;
  // Each attempt reads what won the race against the one before, in a transaction of its own.
  while (!imported) imported = await db.transaction((tx) => attempt(tx, importer, sent));
  if (imported.state === "processing") summaries.wake();
  return imported;
}

async function prepare(
  { replace = false, restore = false, assumed = [], ...input }: Input,
  summaries: SummaryQueue,
  hashedOwner: string,
): Promise<Sent> {
  const { externalId, ownerEmail, ...meeting } = input;
  return {
    externalId,
    ownerEmail,
    replace,
    restore,
    hash: await fingerprintAssumed({ ...input, ownerEmail: hashedOwner }, assumed),
    waits: needsSummary(meeting, summaries),
    transcribed: assumed.includes("transcript"),
    ...(await renderMeeting(meeting)),
  };
}

/**
 * Decides what an import does with what is known by its external ID. A recording that is imported again is transcribed
 * again only to replace its transcript.
 * @throws ApiError 409 if the ID belongs to a different or deleted meeting that is not replaced or restored
 */
function chooseAction(
  known: Recording | null,
  { hash, replace, restore, transcribed }: Sent,
): "create" | "replace" | "none" {
  if (!known || known.state === "deleted") {
    if (known && !restore) throw new ApiError("CONFLICT", MESSAGES.deletedMeeting);
    return "create";
  }
  const { startHash, contentHash } = known;
  const isSame = contentHash && !startHash && isSameFingerprint(contentHash, hash);
  if (isSame && !(transcribed && replace)) return "none";
  if (!replace) throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  return "replace";
}

/**
 * Imports in one transaction. Locks the owner's membership, then the meeting, then the recording, in the same order as
 * removals and deletions.
 * @returns null if another transaction has changed the recording since it was read
 */
async function attempt(tx: Database, importer: Importer, sent: Sent): Promise<Imported | null> {
  const { workspaceId } = importer;
  const known = await findRecording(tx, workspaceId, { externalId: sent.externalId });
  const action = chooseAction(known, sent);
  if (known && known.state !== "deleted" && action === "none")
    return { outcome: "unchanged", meetingId: known.id, state: known.state, notStored: [] };
  const owner = await lockOwner(tx, workspaceId, sent.ownerEmail);
  return known && action === "replace"
    ? replaceKnown(tx, importer, known, owner, sent)
    : createOrRestore(tx, importer, known, owner, sent);
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
  importer: Importer,
  known: Recording,
  owner: Membership,
  sent: Sent,
): Promise<Imported | null> {
  const { caller, workspaceId, quiet } = importer;
  if (known.state === "processing" && !quiet) return replaceWaiting(tx, importer, owner, sent);
  if (known.state !== "completed") throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  const notStored = await replaceContent(tx, known.id, owner, {
    ...sent,
    workspaceId,
    actor: authorOf(caller),
    keepsGenerated: sent.waits,
    locksSummary: async () => !quiet && locksLaterSummary(tx, known.id, owner, sent.meeting),
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
  { quiet }: Importer,
  meetingId: string,
  owner: Membership,
  sent: Sent,
): Promise<Omit<Imported, "outcome">> {
  const { meeting, summary, waits } = sent;
  if (waits) {
    await awaitProcessing(tx, meetingId, owner.userId, meeting);
    return { meetingId, state: "processing", notStored: listConflictingSpeakers(meeting.transcript) };
  }
  const notStored = quiet
    ? await storeMeeting(tx, meetingId, owner, meeting, { summary, locked: false })
    : await completeMeeting(tx, meetingId, owner, sent);
  return { meetingId, state: "completed", notStored };
}

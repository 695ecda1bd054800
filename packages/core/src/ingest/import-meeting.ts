import { type ImportOverwrite, MESSAGES, type MeetingImport } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import { OPERATOR, toActorName } from "../access/actor.js";
import { requireNotErased } from "../lib/erased-recordings.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { type RenderedSummary, renderSummary } from "../meetings/index.js";
import { findUser, lockMembership, type Membership } from "../workspaces/index.js";
import { moveCharge } from "../workspaces/plans/index.js";
import { type AssumedField, fingerprintAssumed, isSameFingerprint } from "./fingerprint.js";
import { releaseExternalId, replaceContent } from "./overwrite.js";
import { nameNotStored, storeMeeting } from "./store-meeting.js";

const { recordings } = schema;

/** The result of an import. */
export interface ImportResult {
  readonly meetingId: string;
  /** False if a meeting with the same `externalId` exists already. Unless `replaced`, nothing changed. */
  readonly created: boolean;
  /** True if the content of a meeting was replaced; otherwise absent. */
  readonly replaced?: true;
  /** Fields that were sent but not stored; absent if everything was stored. */
  readonly notStored?: string[];
}

/** A parsed import with its rendered summary. */
interface Sent {
  readonly meeting: MeetingImport;
  readonly summary: RenderedSummary | null;
  readonly hash: Uint8Array;
}

/**
 * Imports a whole meeting for the operator, in one transaction. Idempotent by `externalId` within the owner's
 * workspace. Charges and locks nothing and sends no events, except for replaced meetings, of which receivers have a
 * copy.
 * @throws ApiError 404 for an unknown owner, 409 if the id belongs to a different or deleted meeting that is not
 * replaced or restored
 * @param assumed fields that are not compared with a meeting of the same `externalId`
 */
export async function importMeeting(
  db: Database,
  {
    replace = false,
    restore = false,
    assumed = [],
    ...meeting
  }: MeetingImport & Partial<ImportOverwrite> & { readonly assumed?: readonly AssumedField[] | undefined },
): Promise<ImportResult> {
  const { userId } = await findUser(db, meeting.ownerEmail);
  // Uses the owner's id, because their address can change between two imports.
  const hash = await fingerprintAssumed({ ...meeting, ownerEmail: userId }, assumed);
  const sent = {
    meeting,
    summary: meeting.summary ? await renderSummary(meeting.summary) : null,
    hash,
  };
  return db.transaction(async (tx) => {
    const owner = await lockMembership(tx, userId, "key share");
    const created = await create(tx, owner, sent);
    if (!created) return importOver(tx, owner, sent, { replace, restore });
    if (replace || restore) await requireNotErased(tx, owner.workspaceId, meeting.externalId);
    return created;
  });
}

/** Stores a meeting under a new id. @returns null if another recording has its external ID */
async function create(tx: Database, owner: Membership, sent: Sent): Promise<ImportResult | null> {
  const { meeting, summary, hash } = sent;
  const meetingId = generateId("mtg");
  const { workspaceId } = owner;
  const { externalId } = meeting;
  const inserted = await tx
    .insert(recordings)
    .values({ id: meetingId, workspaceId, externalId, state: "completed", contentHash: hash })
    .onConflictDoNothing({ target: [recordings.workspaceId, recordings.externalId] })
    .returning({ id: recordings.id })
    .prepare("insert_recording")
    .execute();
  if (inserted.length === 0) return null;
  const notStored = await storeMeeting(tx, meetingId, owner, meeting, {
    summary,
    locked: false,
  });
  return { meetingId, created: true, ...nameNotStored(notStored) };
}

/** Handles an import whose external ID exists: repeats, replaces or restores it. */
async function importOver(
  tx: Database,
  owner: Membership,
  sent: Sent,
  { replace, restore }: ImportOverwrite,
): Promise<ImportResult> {
  const { meeting, hash } = sent;
  const { externalId } = meeting;
  const { workspaceId } = owner;
  const [known] = await tx
    .select({ id: recordings.id, state: recordings.state, contentHash: recordings.contentHash })
    .from(recordings)
    .where(and(eq(recordings.workspaceId, workspaceId), eq(recordings.externalId, externalId)));
  if (known?.contentHash && isSameFingerprint(known.contentHash, hash)) {
    return { meetingId: known.id, created: false };
  }
  if (known?.state === "completed" && replace) {
    const notStored = await replaceContent(tx, known.id, owner, {
      ...sent,
      externalId,
      workspaceId,
      actor: toActorName(OPERATOR),
      keepsGenerated: false,
      locksSummary: async () => false,
    });
    if (notStored) {
      return { meetingId: known.id, created: false, replaced: true, ...nameNotStored(notStored) };
    }
  } else if (known?.contentHash) throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  // It was deleted, possibly since it was read here.
  if (!restore) throw new ApiError("CONFLICT", MESSAGES.deletedMeeting);
  if (known) await releaseExternalId(tx, known.id);
  const restored = await create(tx, owner, sent);
  if (!restored) throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  await requireNotErased(tx, workspaceId, externalId);
  if (known) await moveCharge(tx, known.id, restored.meetingId, owner.userId);
  return restored;
}

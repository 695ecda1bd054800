import { MESSAGES, type MeetingImport } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import type { indexMeeting } from "@minutes/search";
import { and, eq } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { generateId } from "../ids.js";
import { renderSummary } from "../meetings/index.js";
import { findUser, lockMembership } from "../workspaces/index.js";
import { fingerprintRequest, isSameFingerprint } from "./fingerprint.js";
import { storeMeeting } from "./store-meeting.js";

const { recordings } = schema;

/** The result of an import. */
export interface ImportResult {
  readonly meetingId: string;
  /** False when the same meeting was imported before; nothing changed. */
  readonly created: boolean;
}

/**
 * Imports a whole meeting for the operator, in one transaction. Idempotent by `externalId` within the owner's workspace.
 * Nothing is charged, locked or announced.
 * @throws ApiError 404 for an unknown owner, 409 when the id belongs to a different or deleted meeting
 */
export async function importMeeting(
  db: Database,
  meeting: MeetingImport,
  options: { readonly index?: typeof indexMeeting } = {},
): Promise<ImportResult> {
  const { userId } = await findUser(db, meeting.ownerEmail);
  // The owner's id, because their address may change between two imports.
  const hash = fingerprintRequest({ ...meeting, ownerEmail: userId });
  const summary = meeting.summary ? await renderSummary(meeting.summary) : null;
  return db.transaction(async (tx) => {
    const owner = await lockMembership(tx, userId);
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
    if (inserted.length === 0) return replayImportOrConflict(tx, workspaceId, externalId, hash);
    await storeMeeting(tx, meetingId, owner, meeting, { summary, locked: false, ...options });
    return { meetingId, created: true };
  });
}

async function replayImportOrConflict(
  tx: Database,
  workspaceId: string,
  externalId: string,
  hash: Uint8Array,
): Promise<ImportResult> {
  const [known] = await tx
    .select({ id: recordings.id, contentHash: recordings.contentHash })
    .from(recordings)
    .where(and(eq(recordings.workspaceId, workspaceId), eq(recordings.externalId, externalId)));
  if (!known?.contentHash) throw new ApiError("CONFLICT", MESSAGES.deletedMeeting);
  if (!isSameFingerprint(known.contentHash, hash))
    throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  return { meetingId: known.id, created: false };
}

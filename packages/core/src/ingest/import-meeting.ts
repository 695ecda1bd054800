import { MESSAGES, type MeetingImport } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import type { indexMeeting } from "@minutes/search";
import { and, eq } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { newId } from "../ids.js";
import { findUser, lockMembership } from "../workspaces/index.js";
import { contentHash, sameHash } from "./content-hash.js";
import { storeMeeting } from "./store-meeting.js";

const { recordings } = schema;

/** What came of an import. */
export interface Imported {
  readonly meetingId: string;
  /** False when the same meeting had been imported before, and nothing changed. */
  readonly created: boolean;
}

/**
 * Stores a whole meeting in one transaction: everything or nothing. Idempotent by `externalId` within the owner's
 * workspace. It is the operator's import: nothing is charged, locked or announced.
 * @throws ApiError 404 for an unknown owner, 409 when the id belongs to a different or deleted meeting.
 */
export async function importMeeting(
  db: Database,
  meeting: MeetingImport,
  options: { readonly index?: typeof indexMeeting } = {},
): Promise<Imported> {
  const { userId } = await findUser(db, meeting.ownerEmail);
  // Whose it is counts, not what his address was then.
  const hash = contentHash({ ...meeting, ownerEmail: userId });
  return db.transaction(async (tx) => {
    const owner = await lockMembership(tx, userId);
    const meetingId = newId("mtg");
    const { workspaceId } = owner;
    const { externalId } = meeting;
    const inserted = await tx
      .insert(recordings)
      .values({ id: meetingId, workspaceId, externalId, state: "completed", contentHash: hash })
      .onConflictDoNothing({ target: [recordings.workspaceId, recordings.externalId] })
      .returning({ id: recordings.id });
    if (inserted.length === 0) return repeated(tx, workspaceId, externalId, hash);
    await storeMeeting(tx, meetingId, owner, meeting, { locked: false, ...options });
    return { meetingId, created: true };
  });
}

async function repeated(
  tx: Database,
  workspaceId: string,
  externalId: string,
  hash: Uint8Array,
): Promise<Imported> {
  const [known] = await tx
    .select({ id: recordings.id, contentHash: recordings.contentHash })
    .from(recordings)
    .where(and(eq(recordings.workspaceId, workspaceId), eq(recordings.externalId, externalId)));
  if (!known?.contentHash) throw new ApiError("CONFLICT", MESSAGES.deletedMeeting);
  if (!sameHash(known.contentHash, hash)) throw new ApiError("CONFLICT", MESSAGES.conflictingMeeting);
  return { meetingId: known.id, created: false };
}

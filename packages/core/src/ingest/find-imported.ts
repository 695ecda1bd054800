import { type Database, schema } from "@minutes/db";
import { and, eq, inArray } from "drizzle-orm";
import { findUser } from "../workspaces/index.js";

const { recordings } = schema;

/** A recording that an import would find by its external ID. */
export interface ImportedRecording {
  readonly externalId: string;
  readonly meetingId: string;
  /** True for a meeting that can be read; false for one that was deleted, or is not complete. */
  readonly stored: boolean;
}

/** Finds which external IDs exist in a user's workspace. @throws ApiError 404 for an unknown user */
export async function findImported(
  db: Database,
  ownerEmail: string,
  externalIds: readonly string[],
): Promise<ImportedRecording[]> {
  const { workspaceId } = await findUser(db, ownerEmail);
  const rows = await db
    .select({ externalId: recordings.externalId, meetingId: recordings.id, state: recordings.state })
    .from(recordings)
    .where(and(eq(recordings.workspaceId, workspaceId), inArray(recordings.externalId, [...externalIds])));
  return rows.map(({ externalId, meetingId, state }) => ({
    externalId: externalId ?? "",
    meetingId,
    stored: state === "completed",
  }));
}

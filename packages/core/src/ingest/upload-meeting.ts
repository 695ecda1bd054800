import { createHash } from "node:crypto";
import type { MeetingImport, RecordingAnswer } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { SignedInUser } from "../sign-in/sessions/index.js";
import type { AssumedField } from "./fingerprint.js";
import { importRecording } from "./import-recording.js";

const { recordings } = schema;

/**
 * Imports a meeting that a person uploads as their own. It is charged and locked like any recording, with the same
 * events. Uploading it again is a no-op.
 * @param summarised true if a summariser is configured
 * @throws ApiError 404 if the person has just left the workspace, 409 if they deleted the meeting or changed the file
 */
export async function uploadMeeting(
  db: Database,
  { userId, workspaceId }: Pick<SignedInUser, "userId" | "workspaceId">,
  { assumed = [], ...meeting }: MeetingImport & { readonly assumed?: readonly AssumedField[] },
  summarised: boolean,
): Promise<RecordingAnswer & { readonly created: boolean }> {
  const externalId = toOwnId(userId, meeting.externalId);
  const [known] = await db
    .select({ id: recordings.id })
    .from(recordings)
    .where(and(eq(recordings.workspaceId, workspaceId), eq(recordings.externalId, externalId)));
  const answer = await importRecording(db, { workspaceId }, { ...meeting, externalId }, summarised, assumed);
  if (!known) await audit(db, { kind: "user", userId }, "import.meeting", answer.meetingId);
  return { ...answer, created: !known };
}

/** Builds an id in this person's own namespace, so that it can't collide with a recorder's meeting. */
const toOwnId = (userId: string, externalId: string): string =>
  `upload:${createHash("sha256").update(`${userId}\n${externalId}`).digest("hex")}`;

import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { Actor } from "../actor.js";
import { ApiError } from "../errors.js";

const { meetings } = schema;

/** What shares and tags of a meeting refer to. */
export interface OwnedMeeting {
  readonly meetingId: string;
  readonly ownerId: string;
  /** ISO 8601. */
  readonly startTime: string;
}

/**
 * Requires that the actor is a meeting's owner or the operator: nobody else shares or tags it.
 * @throws ApiError 404 for an unknown meeting, 403 for another user's
 */
export async function requireMeetingOwner(
  tx: Database,
  actor: Actor,
  meetingId: string,
): Promise<OwnedMeeting> {
  const [meeting] = await tx
    .select({ meetingId: meetings.id, ownerId: meetings.userId, startTime: meetings.startTime })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (actor.kind === "user" && actor.userId !== meeting.ownerId) {
    throw new ApiError("FORBIDDEN", MESSAGES.noMeetingAccess);
  }
  return meeting;
}

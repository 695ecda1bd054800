import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { Manager } from "../access/callers.js";
import { ApiError } from "../lib/errors.js";

const { meetings } = schema;

/** The columns referenced by a meeting's shares and tags. */
export interface OwnedMeeting {
  readonly meetingId: string;
  readonly ownerId: string;
  /** ISO 8601. */
  readonly startTime: string;
}

/**
 * Requires that the caller is the meeting's owner or the operator, who alone share or tag it.
 * @param lock true locks the meeting, so that its start stays unchanged until the transaction ends. Lock memberships
 * first.
 * @param refusal the message for another user's meeting
 * @throws ApiError 404 for an unknown meeting, 403 for another user's
 */
export async function requireMeetingOwner(
  tx: Database,
  caller: Manager,
  meetingId: string,
  { lock = false, refusal = MESSAGES.noMeetingAccess as string } = {},
): Promise<OwnedMeeting> {
  const selected = tx
    .select({ meetingId: meetings.id, ownerId: meetings.userId, startTime: meetings.startTime })
    .from(meetings)
    .where(eq(meetings.id, meetingId));
  const [meeting] = await (lock ? selected.for("no key update") : selected);
  if (!meeting) throw new ApiError("NOT_FOUND", MESSAGES.meetingNotFound);
  if (caller.kind === "user" && caller.userId !== meeting.ownerId) {
    throw new ApiError("FORBIDDEN", refusal);
  }
  return meeting;
}

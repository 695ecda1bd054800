import type { SummaryOrigin } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { findEventTitle } from "../calendar/index.js";
import { chooseInstruction, listInstructions, toOrigin } from "../workspaces/instructions/index.js";
import type { MeetingContent } from "./store-meeting.js";

const { members } = schema;

/**
 * Chooses the instruction and language for the summary of a recording that is not stored yet, from those of its owner and
 * their workspace.
 */
export async function chooseOrigin(
  db: Database,
  userId: string,
  { title, startTime, endTime, tags, calendarEvent }: MeetingContent,
): Promise<SummaryOrigin | null> {
  const [owner] = await db
    .select({ workspaceId: members.workspaceId })
    .from(members)
    .where(eq(members.userId, userId));
  if (!owner) return null;
  const { personal, team } = await listInstructions(db, { userId, workspaceId: owner.workspaceId });
  const known = [...personal, ...team];
  if (known.length === 0) return null;
  // The recorder's event, else the one of the owner's calendar that the meeting will be linked with.
  const event = calendarEvent
    ? (calendarEvent.title ?? null)
    : await findEventTitle(db, { userId, title, startTime, endTime: endTime ?? null });
  const titles = event === null ? [title] : [title, event];
  return toOrigin(chooseInstruction(known, { tags: tags.map(({ name }) => name), titles }));
}

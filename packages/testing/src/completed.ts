import { MeetingImport } from "@minutes/contract";
import { importRecording, NO_SUMMARIES } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import type { Person } from "./accounts.js";
import type { MeetingFacts } from "./given.js";
import { asRecorder } from "./keys.js";

const { deliveries, members } = schema;

let last = 0;
/** Long enough for a summary. */
const TALK = "We talk for a while, so that there is something to summarise.";

/** Completes a meeting as a recorder's import does: stored, charged and with its event, in one transaction. */
export async function completeMeeting(
  db: Database,
  owner: Person,
  facts: MeetingFacts = {},
): Promise<{ meetingId: string; enqueued: number }> {
  const number = `${process.pid}-${++last}`;
  const whole = MeetingImport.parse({
    externalId: `completed-${number}`,
    ownerEmail: owner.email,
    title: `Meeting ${number}`,
    startTime: "2025-03-14T09:30:00.250Z",
    transcript: [{ speakerId: "s1", speakerName: owner.name, text: TALK }],
    ...facts,
  });
  const [member] = await db
    .select({ workspaceId: members.workspaceId })
    .from(members)
    .where(eq(members.userId, owner.userId));
  if (!member) throw new Error(`${owner.email} is in no workspace.`);
  const { meetingId } = await importRecording(db, asRecorder(member.workspaceId), whole, NO_SUMMARIES);
  const [row] = await db
    .select({ enqueued: sql<number>`count(*)::int` })
    .from(deliveries)
    .where(eq(deliveries.meetingId, meetingId));
  return { meetingId, enqueued: row?.enqueued ?? 0 };
}

import { MeetingImport } from "@minutes/contract";
import { enqueueDeliveries, importMeeting } from "@minutes/core";
import type { Database } from "@minutes/db";
import type { MeetingFacts, Person } from "./given.js";

let last = 0;

/** Completes a meeting that notifies: everything is stored and enqueued in one transaction. */
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
    ...facts,
  });
  return db.transaction(async (tx) => {
    const { meetingId } = await importMeeting(tx, whole);
    return { meetingId, enqueued: await enqueueDeliveries(tx, meetingId) };
  });
}

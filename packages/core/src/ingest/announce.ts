import { type Database, schema } from "@minutes/db";

/**
 * The one place where `meeting.completed` comes from: called once per meeting, inside the transaction that
 * completes it, so that either both are there or neither (contract: "Events").
 */
export async function announceCompleted(tx: Database, meetingId: string): Promise<void> {
  await tx.insert(schema.meetingEvents).values({ meetingId });
}

import { type Database, schema } from "@minutes/db";
import { enqueueDeliveries } from "../webhooks/index.js";

/**
 * The one place where `meeting.completed` comes from: called once per meeting, inside the transaction that
 * completes it and after everything of the meeting is stored, so that the event, its deliveries and the meeting are
 * all there or none (contract: "Events").
 */
export async function announceCompleted(tx: Database, meetingId: string): Promise<void> {
  await tx.insert(schema.meetingEvents).values({ meetingId });
  await enqueueDeliveries(tx, meetingId);
}

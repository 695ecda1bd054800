import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { generateId } from "../lib/ids.js";
import { containsAny, mentions, type Sought, toTexts } from "./sought.js";

const { participants, tasks, transcriptSegments } = schema;

/**
 * Gives the erased speakers of a meeting labels that say nothing, and others whose label contains an address, ID or name of the
 * person: some recorders label speakers with their address. A recorder can't send the meeting again.
 * @param erased labels of the person
 */
export async function replaceLabels(
  tx: Database,
  sought: Sought,
  meetingId: string,
  erased: readonly string[],
): Promise<void> {
  const label = participants.id;
  const speakers = await tx
    .select({ label, personId: participants.personId })
    .from(participants)
    .where(
      sql`${participants.meetingId} = ${meetingId} and (${label} = any(${toTexts(erased)})
        or ${mentions(label, sought)} or ${containsAny(label, sought.names)})`,
    );
  for (const speaker of speakers) await replaceLabel(tx, meetingId, speaker);
}

async function replaceLabel(
  tx: Database,
  meetingId: string,
  { label, personId }: { readonly label: string; readonly personId: string | null },
): Promise<void> {
  const next = generateId("spk");
  await tx
    .update(participants)
    .set({ id: next })
    .where(and(eq(participants.meetingId, meetingId), eq(participants.id, label)));
  await tx
    .update(transcriptSegments)
    .set({ speakerId: next })
    .where(and(eq(transcriptSegments.meetingId, meetingId), eq(transcriptSegments.speakerId, label)));
  const assigned = await tx
    .update(tasks)
    .set({ assigneeId: next })
    .where(and(eq(tasks.meetingId, meetingId), eq(tasks.assigneeId, label)))
    .returning({ id: tasks.id });
  // A statement of its own: a trigger clears the person when the label changes.
  if (assigned.length > 0)
    await tx
      .update(tasks)
      .set({ assigneePersonId: personId })
      .where(and(eq(tasks.meetingId, meetingId), eq(tasks.assigneeId, next)));
}

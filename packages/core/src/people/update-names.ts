import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { participants, people, tasks } = schema;

/**
 * Updates the names of a meeting's speakers and assignees after their people were renamed or merged. A task that nobody
 * changed since counts as changed even if its assignee keeps the name: they can have another ID.
 * @returns whether any changed
 */
export async function updateNamesInMeeting(tx: Database, meetingId: string): Promise<boolean> {
  const speakers = await tx
    .update(participants)
    .set({ name: sql`h.name`, personRevision: sql`h.revision` })
    .from(sql`${people} g join ${people} h on h.id = coalesce(g.merged_into, g.id)`)
    .where(
      sql`${participants.meetingId} = ${meetingId} and g.id = ${participants.personId}
        and coalesce(${participants.personRevision}, 0) < h.revision`,
    )
    .returning({ id: participants.id });
  const name = sql`coalesce((select p.name from ${participants} p
    where p.meeting_id = ${tasks.meetingId} and p.id = ${tasks.assigneeId}), h.name)`;
  const assigned = await tx
    .update(tasks)
    .set({ assigneeName: name, updatedAt: sql`now()` })
    .from(sql`${people} g join ${people} h on h.id = coalesce(g.merged_into, g.id)`)
    .where(
      sql`${tasks.meetingId} = ${meetingId} and g.id = ${tasks.assigneePersonId} and h.revision > 0
        and (${tasks.assigneeName} <> ${name} or ${tasks.updatedAt} < h.updated_at)`,
    )
    .returning({ id: tasks.id });
  return speakers.length + assigned.length > 0;
}

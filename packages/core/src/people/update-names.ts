import { type Database, schema } from "@minutes/db";
import { type SQL, sql } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { isPersonIn } from "./person-id.js";

const { meetings, participants, people, tasks } = schema;

/** Meeting `m`, and people `g` with who stands for them, `h`. */
const fromPeople = sql`${meetings} m cross join ${people} g
  join ${people} h on ${isPersonIn(sql`h`, sql`coalesce(g.merged_into, g.id)`, sql`g.workspace_id`)}`;

/** Builds the condition that `g` is a person that a row of a meeting names. */
const isNamed = (meetingId: string, row: AnyPgColumn, person: AnyPgColumn): SQL =>
  sql`${row} = ${meetingId} and m.id = ${meetingId} and ${isPersonIn(sql`g`, sql`${person}`, sql`m.workspace_id`)}`;

/**
 * Updates the names of a meeting's speakers and assignees after their people were renamed or merged. A task that nobody
 * changed since counts as changed even if its assignee keeps the name: they can have another ID.
 * @returns whether any changed
 */
export async function updateNamesInMeeting(tx: Database, meetingId: string): Promise<boolean> {
  const speakers = await tx
    .update(participants)
    .set({ name: sql`h.name`, personRevision: sql`h.revision` })
    .from(fromPeople)
    .where(
      sql`${isNamed(meetingId, participants.meetingId, participants.personId)}
        and coalesce(${participants.personRevision}, 0) < h.revision`,
    )
    .returning({ id: participants.id });
  const name = sql`coalesce((select p.name from ${participants} p
    where p.meeting_id = ${tasks.meetingId} and p.id = ${tasks.assigneeId}), h.name)`;
  const assigned = await tx
    .update(tasks)
    .set({ assigneeName: name, updatedAt: sql`now()` })
    .from(fromPeople)
    .where(
      sql`${isNamed(meetingId, tasks.meetingId, tasks.assigneePersonId)} and h.revision > 0
        and (${tasks.assigneeName} <> ${name} or ${tasks.updatedAt} < h.updated_at)`,
    )
    .returning({ id: tasks.id });
  return speakers.length + assigned.length > 0;
}

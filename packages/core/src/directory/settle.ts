import { setTimeout } from "node:timers/promises";
import { type Database, schema } from "@minutes/db";
import { reindexMeeting } from "@minutes/search";
import { and, eq, sql } from "drizzle-orm";
import { recordUpdateEvents } from "../events/index.js";
import { updateNamesInMeeting } from "../people/index.js";

const { meetings, participants, people, tasks } = schema;

/** Number of meetings found at once. */
const FOUND = 100;

/**
 * Writes the names of renamed and merged people to their meetings, each in its own short transaction with search, feed and
 * event. What is left follows from the rows, so it continues where a killed process stopped.
 */
export async function settlePeople(db: Database, signal: AbortSignal): Promise<void> {
  for (;;) {
    const [person] = await db
      .select({ id: people.id, revision: people.revision })
      .from(people)
      .where(sql`${people.settledRevision} < ${people.revision}`)
      .orderBy(people.id)
      .limit(1);
    if (!person || !(await settlePerson(db, person.id, signal))) return;
    await db
      .update(people)
      .set({ settledRevision: person.revision })
      .where(and(eq(people.id, person.id), eq(people.revision, person.revision)));
  }
}

/**
 * Writes the name of one person to their meetings. A merged person has none to write: the one they are merged into has.
 * @returns false if it was aborted
 */
async function settlePerson(db: Database, id: string, signal: AbortSignal): Promise<boolean> {
  const ids = sql`(select g.id from ${people} g where g.id = ${id} or g.merged_into = ${id})`;
  for (;;) {
    const found = await db
      .select({ id: sql<string>`id` })
      .from(
        sql`(
          (select p.meeting_id as id from ${participants} p, ${people} h
            where h.id = ${id} and h.merged_into is null and p.person_id in ${ids}
              and coalesce(p.person_revision, 0) < h.revision limit ${FOUND})
          union
          (select k.meeting_id from ${tasks} k, ${people} h
            where h.id = ${id} and h.merged_into is null and k.assignee_person_id in ${ids}
              and (k.assignee_name <> h.name or k.updated_at < h.updated_at)
              and not exists (select from ${participants} p where p.meeting_id = k.meeting_id and p.id = k.assignee_id)
            limit ${FOUND})
        ) found`,
      )
      .orderBy(sql`id`);
    if (found.length === 0) return true;
    for (const { id: meetingId } of found) {
      if (signal.aborted) return false;
      const started = performance.now();
      await db.transaction((tx) => settleMeeting(tx, meetingId));
      // Half of the time, as for identification.
      await setTimeout(performance.now() - started);
    }
  }
}

async function settleMeeting(tx: Database, meetingId: string): Promise<void> {
  const locked = await tx
    .select({ id: meetings.id })
    .from(meetings)
    .where(eq(meetings.id, meetingId))
    .for("no key update");
  if (locked.length === 0 || !(await updateNamesInMeeting(tx, meetingId))) return;
  await reindexMeeting(tx, meetingId);
  await tx.update(meetings).set({ updatedAt: sql`now()` }).where(eq(meetings.id, meetingId));
  await recordUpdateEvents(tx, [meetingId]);
}

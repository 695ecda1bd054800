import { type Database, schema, writeArray } from "@minutes/db";
import { and, eq, gt, sql } from "drizzle-orm";
import { endMaskedLinks } from "../../lib/end-masked-links.js";
import { changeMeeting } from "../../versions/index.js";
import { type FindMeetings, isPersonIn, runOnMeetings, updateNamesInMeeting } from "../index.js";

const { meetings, participants, people, tasks } = schema;

/** Maximum number of times that a person's meetings are searched at once. */
const LOOKS = 3;

/**
 * Writes the names of renamed and merged people to their meetings, each in its own short transaction with search, feed and
 * event. What is left follows from the rows, so it continues where a killed process stopped.
 * @param ids only these people; all by default
 * @returns false if some are left
 */
export async function settlePeople(
  db: Database,
  signal: AbortSignal,
  ids: readonly string[] | null = null,
): Promise<boolean> {
  const isAsked = ids && sql`${people.id} = any(${writeArray(ids)}::text::text[])`;
  let fault: { readonly error: unknown } | undefined;
  let isSettled = true;
  for (let last = ""; !signal.aborted; ) {
    const [person] = await db
      .select({ id: people.id, revision: people.revision })
      .from(people)
      .where(
        and(sql`${people.settledRevision} < ${people.revision}`, gt(people.id, last), isAsked ?? undefined),
      )
      .orderBy(people.id)
      .limit(1);
    if (!person) break;
    last = person.id;
    // One who can't be settled now holds up nobody else.
    const settled = await settlePerson(db, person, signal).catch((error: unknown) => {
      fault ??= { error };
      return false;
    });
    isSettled &&= settled;
  }
  if (fault) throw fault.error;
  return isSettled && !signal.aborted;
}

/**
 * Writes the name of one person to their meetings. A merged person has none to write: the one they are merged into has.
 * @returns false if some meetings are left
 */
async function settlePerson(
  db: Database,
  { id, revision }: Pick<typeof people.$inferSelect, "id" | "revision">,
  signal: AbortSignal,
): Promise<boolean> {
  const isThem = sql`h.id = ${id} and h.merged_into is null and (g.id = h.id or g.merged_into = h.id)`;
  const find: FindMeetings = (after, limit) => sql`
    (select distinct m.id from ${people} h, ${people} g, ${participants} p, ${meetings} m
      where ${isThem} and m.id = p.meeting_id and ${isPersonIn(sql`g`, sql`p.person_id`, sql`m.workspace_id`)}
        and coalesce(p.person_revision, 0) < h.revision and p.meeting_id > ${after} order by 1 limit ${limit})
    union
    (select distinct k.meeting_id from ${people} h, ${people} g, ${tasks} k
      where ${isThem} and ${isPersonIn(sql`g`, sql`k.assignee_person_id`, sql`k.workspace_id`)}
        and (k.assignee_name <> h.name or k.updated_at < h.updated_at) and k.meeting_id > ${after}
        and not exists (select from ${participants} p where p.meeting_id = k.meeting_id and p.id = k.assignee_id)
      order by 1 limit ${limit})
    order by 1 limit ${limit}`;
  // Until nothing is found: imports that began before the rename bring the former name. The rest is found the next time.
  let found = 1;
  for (let look = 0; found > 0 && look < LOOKS; look++)
    found = await runOnMeetings(db, signal, find, settleMeeting);
  if (found > 0 || signal.aborted) return false;
  await db
    .update(people)
    .set({ settledRevision: revision })
    .where(and(eq(people.id, id), eq(people.revision, revision)));
  return true;
}

const settleMeeting = (tx: Database, meetingId: string) =>
  changeMeeting(tx, meetingId, {
    work: async () => {
      if (!(await updateNamesInMeeting(tx, meetingId))) return null;
      // The former name is stored nowhere.
      await endMaskedLinks(tx, meetingId);
      return { index: "meeting" };
    },
  });

import {
  type AssignSpeaker,
  type EditedSpeaker,
  MESSAGES,
  type MergeSpeakers,
  type SplitSpeaker,
} from "@minutes/contract";
import { type Database, schema, writeArray } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { type Caller, readableBy } from "../../access/index.js";
import { ApiError } from "../../lib/errors.js";
import { generateId } from "../../lib/ids.js";
import { forgetPeople, type KnownAs, resolveWho } from "../../people/index.js";
import type { LockedMeeting } from "../../versions/index.js";
import { type Correction, correct } from "../index.js";

const { participants, summaries, tasks, transcriptSegments } = schema;

/**
 * Says who a speaker is: changes them and their tasks, in one transaction with search, feed, event and version.
 * @throws ApiError 404 for an unknown meeting, speaker or person, 403, 409 for a stale base
 */
export const assignSpeaker = (
  db: Database,
  caller: Caller,
  { meetingId, speakerLabel, baseVersion, ...who }: AssignSpeaker,
): Promise<EditedSpeaker> =>
  editSpeaker(
    db,
    caller,
    meetingId,
    { base: baseVersion, parts: ["participants", "tasks"] },
    async (tx, meeting) => {
      const speaker = await readSpeaker(tx, meetingId, speakerLabel);
      const place = { workspaceId: meeting.workspaceId, scope: readableBy(caller) };
      const known = await resolveWho(tx, { ...place, own: speaker.personId }, who);
      await tx
        .update(participants)
        .set({ ...known, named: true })
        .where(isSpeaker(meetingId, speakerLabel));
      await assignTasks(tx, meetingId, speakerLabel, known);
      await forgetPeople(tx, [speaker.personId]);
      return { speakerLabel, formerName: speaker.name, name: known.name };
    },
  );

/**
 * Gives the turns and tasks of a speaker to another one, who stays.
 * @throws ApiError 404 for an unknown meeting or speaker, 403, 409 for a stale base
 */
export const mergeSpeakers = (
  db: Database,
  caller: Caller,
  { meetingId, speakerLabel, intoLabel, baseVersion }: MergeSpeakers,
): Promise<EditedSpeaker> =>
  editSpeaker(db, caller, meetingId, regroup(baseVersion, speakerLabel), async (tx) => {
    const from = await readSpeaker(tx, meetingId, speakerLabel);
    const into = await readSpeaker(tx, meetingId, intoLabel);
    await tx
      .update(transcriptSegments)
      .set({ speakerId: intoLabel })
      .where(
        and(eq(transcriptSegments.meetingId, meetingId), eq(transcriptSegments.speakerId, speakerLabel)),
      );
    await tx
      .update(tasks)
      .set({ assigneeId: intoLabel })
      .where(and(eq(tasks.meetingId, meetingId), eq(tasks.assigneeId, speakerLabel)));
    // A statement of its own: a trigger clears the person when the label changes.
    await assignTasks(tx, meetingId, intoLabel, into);
    await tx.delete(participants).where(isSpeaker(meetingId, speakerLabel));
    await tx
      .update(participants)
      .set({ position: Math.min(from.position, into.position) })
      .where(isSpeaker(meetingId, intoLabel));
    await forgetPeople(tx, [from.personId]);
    return { speakerLabel: intoLabel, formerName: from.name, name: into.name };
  });

/**
 * Moves some turns of a speaker to a new speaker.
 * @throws ApiError 400 for turns of somebody else and for all turns, 404 for an unknown meeting, speaker or person, 403, 409
 *   for a stale base
 */
export const splitSpeaker = (
  db: Database,
  caller: Caller,
  { meetingId, speakerLabel, baseVersion, turns, ...who }: SplitSpeaker,
): Promise<EditedSpeaker> =>
  editSpeaker(db, caller, meetingId, regroup(baseVersion, speakerLabel), async (tx, meeting) => {
    const speaker = await readSpeaker(tx, meetingId, speakerLabel);
    const moved = new Set(turns);
    const [count] = await tx
      .select({
        all: sql<number>`count(*)::int`,
        moved: sql<number>`count(*) filter (where x.position = any(${writeArray([...moved])}::text::int[]))::int`,
      })
      .from(sql`read_segments(${meetingId}) x`)
      .where(sql`x.speaker_id = ${speakerLabel}`);
    if (count?.moved !== moved.size) throw new ApiError("BAD_REQUEST", MESSAGES.turnOfOther);
    if (count.all === moved.size) throw new ApiError("BAD_REQUEST", MESSAGES.allTurns);
    const place = { workspaceId: meeting.workspaceId, scope: readableBy(caller) };
    const known = await resolveWho(tx, { ...place, own: null }, who);
    const label = generateId("spk");
    const [last] = await tx
      .select({ position: sql<number>`max(${participants.position})` })
      .from(participants)
      .where(eq(participants.meetingId, meetingId));
    const position = (last?.position ?? 0) + 1;
    await tx.insert(participants).values({ meetingId, id: label, position, ...known, named: true });
    await assignTasks(tx, meetingId, label, known);
    await tx
      .update(transcriptSegments)
      .set({ speakerId: label })
      .where(
        sql`${transcriptSegments.meetingId} = ${meetingId}
          and ${transcriptSegments.position} = any(${writeArray([...moved])}::text::int[])`,
      );
    return { speakerLabel: label, formerName: speaker.name, name: known.name };
  });

/** A correction that gives turns and tasks of a speaker to another one. */
const regroup = (base: number | null, speakerLabel: string): Correction => ({
  base,
  parts: ["participants", { turnsOf: speakerLabel }, "tasks"],
});

/** A changed speaker, with the names before and after. */
interface Changed {
  readonly speakerLabel: string;
  readonly formerName: string;
  readonly name: string;
}

async function editSpeaker(
  db: Database,
  caller: Caller,
  meetingId: string,
  correction: Correction,
  work: (tx: Database, meeting: LockedMeeting) => Promise<Changed>,
): Promise<EditedSpeaker> {
  let changed: Changed | undefined;
  let formerNameInSummary = 0;
  const edited = await correct(db, caller, meetingId, correction, async (tx, meeting) => {
    changed = await work(tx, meeting);
    const { formerName, name } = changed;
    formerNameInSummary = formerName === name ? 0 : countName(await readSummary(tx, meetingId), formerName);
    return { index: "meeting" };
  });
  if (!changed) throw new Error("The speaker is unchanged.");
  const { speakerLabel, formerName } = changed;
  return { ...edited, speakerLabel, formerName, formerNameInSummary };
}

const isSpeaker = (meetingId: string, label: string) =>
  and(eq(participants.meetingId, meetingId), eq(participants.id, label));

type SpeakerRow = typeof participants.$inferSelect;

/** Reads a speaker. @throws ApiError 404. The background job may not have identified them: then the label is their ID. */
async function readSpeaker(tx: Database, meetingId: string, label: string): Promise<SpeakerRow> {
  const [speaker] = await tx.select().from(participants).where(isSpeaker(meetingId, label));
  if (!speaker) throw new ApiError("NOT_FOUND", MESSAGES.speakerNotFound);
  return speaker;
}

/**
 * Sets the assignee of a speaker's tasks to the speaker's name, address and person. Includes tasks that have only this name:
 * as at ingest, a name alone means the speaker with that name.
 */
const assignTasks = (
  tx: Database,
  meetingId: string,
  label: string,
  { personId, name, email }: Pick<SpeakerRow, "personId" | "name" | "email"> | KnownAs,
) =>
  tx
    .update(tasks)
    .set({
      ...{ assigneeId: label, assigneePersonId: personId, assigneeName: name, assigneeEmail: email },
      updatedAt: sql`now()`,
    })
    .where(
      sql`${tasks.meetingId} = ${meetingId} and (
        ${tasks.assigneeId} = ${label} and (${tasks.assigneePersonId}, ${tasks.assigneeName}, ${tasks.assigneeEmail})
          is distinct from (${personId}::text, ${name}::text, ${email}::text)
        or ${tasks.assigneeName} = ${name}
          and coalesce(${tasks.assigneeId}, ${tasks.assigneePersonId}, ${tasks.assigneeEmail}) is null)`,
    );

/** Reads the summary's text; empty while it is locked. */
async function readSummary(tx: Database, meetingId: string): Promise<string> {
  const [summary] = await tx
    .select({ markdown: summaries.markdown })
    .from(summaries)
    .where(and(eq(summaries.meetingId, meetingId), eq(summaries.locked, false)));
  return summary?.markdown ?? "";
}

/** Counts the occurrences of a name in a text, as whole words. */
export function countName(text: string, name: string): number {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return text.match(new RegExp(`(?<![\\p{L}\\p{N}])${literal}(?![\\p{L}\\p{N}])`, "gu"))?.length ?? 0;
}

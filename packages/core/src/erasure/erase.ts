import { MESSAGES } from "@minutes/contract";
import { type Database, schema, writeArray } from "@minutes/db";
import { and, eq, or, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { Manager } from "../access/index.js";
import { endMaskedLinks } from "../lib/end-masked-links.js";
import { ERASED_EMAIL, ERASED_NAME } from "../lib/erased.js";
import { markErased } from "../lib/erased-recordings.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { forgetPeople } from "../people/index.js";
import { isAttemptWith } from "../sign-in/index.js";
import { changeMeeting, eraseVersions } from "../versions/index.js";
import { rewritePayloads } from "../webhooks/index.js";
import { replaceLabels } from "./labels.js";
import { draftContains, entryContains, selectMeetingsWith } from "./references.js";
import { replaceInDraft } from "./replace.js";
import { isAddress, isCalled, isSought, isSoughtSpeaker, type Sought, toTexts } from "./sought.js";

const {
  calendarAttendees,
  calendarEntries,
  invitations,
  keptAudio,
  meetingHolds,
  meetings,
  participants,
  people,
  recordingDrafts,
  signInAttempts,
  tasks,
} = schema;

/**
 * Records the start of an erasure in the audit log, before the entries of each meeting.
 * @returns a random ID, not derived from the person
 */
export async function recordErasure(db: Database, caller: Manager): Promise<string> {
  const id = generateId("ers");
  await audit(db, caller, "person.erase", id);
  return id;
}

/**
 * Replaces a person in some meetings, each in its own transaction, so that a rerun continues where this one stopped.
 * Erase the person's account first; otherwise they would also be replaced in their own meetings.
 * @param eraseHeld true if the caller confirmed that meetings on hold are changed too
 * @returns the ids of the changed meetings; empty if none is left
 * @throws ApiError 409 if one is on hold
 */
export async function eraseFromMeetings(
  db: Database,
  caller: Manager,
  sought: Sought,
  limit: number,
  { eraseHeld = false } = {},
): Promise<string[]> {
  const found = await db
    .select({ id: meetings.id })
    .from(meetings)
    .where(sql`${meetings.id} in (${selectMeetingsWith(sought)})`)
    .orderBy(meetings.id)
    .limit(limit);
  for (const { id } of found)
    await db.transaction(async (tx) => {
      if (!eraseHeld) await requireNoHold(tx, id);
      await eraseFromMeeting(tx, caller, sought, id);
    });
  return found.map(({ id }) => id);
}

/**
 * Locks a meeting until the transaction ends, so that no hold that was confirmed to somebody is overlooked.
 * @throws ApiError 409 if it is on hold
 */
async function requireNoHold(tx: Database, meetingId: string): Promise<void> {
  const locked = eq(meetings.id, meetingId);
  await tx.select({ id: meetings.id }).from(meetings).where(locked).for("update");
  if ((await tx.$count(meetingHolds, eq(meetingHolds.meetingId, meetingId))) > 0)
    throw new ApiError("CONFLICT", MESSAGES.erasesHeld);
}

/**
 * Replaces a person in a meeting, its search index and its event payloads, erases its earlier versions and its audio, ends its
 * links that mask names, and sends the change to copies.
 */
const eraseFromMeeting = (tx: Database, caller: Manager, sought: Sought, meetingId: string) =>
  changeMeeting(tx, meetingId, {
    work: async () => {
      const isRenamed = await replaceInMeeting(tx, sought, meetingId);
      await eraseVersions(tx, [meetingId]);
      await markErased(tx, sql`r.id = ${meetingId}`);
      // Even if they did not speak under their name: transcribed speakers are often unknown.
      await tx.delete(keptAudio).where(eq(keptAudio.meetingId, meetingId));
      await endMaskedLinks(tx, meetingId);
      await tx.update(meetings).set({ recordingUrl: null }).where(eq(meetings.id, meetingId));
      await rewritePayloads(tx, meetingId);
      await audit(tx, caller, "meeting.erase-person", meetingId);
      // Assignees and attendees are in the notes.
      return { index: isRenamed ? "meeting" : "notes" };
    },
  });

/** Replaces a person among the speakers, assignees and attendees of a meeting. @returns true if they were a speaker */
async function replaceInMeeting(tx: Database, sought: Sought, meetingId: string): Promise<boolean> {
  const isParticipant = isSoughtSpeaker(participants, sought);
  const isAttendee = isAddress(calendarAttendees.email, sought);
  const spoken = await tx
    .select({ id: participants.id, name: participants.name })
    .from(participants)
    .where(and(eq(participants.meetingId, meetingId), isParticipant));
  const invited = await tx
    .select({ name: calendarAttendees.name })
    .from(calendarAttendees)
    .where(and(eq(calendarAttendees.meetingId, meetingId), isAttendee));
  await detachOthers(tx, sought, meetingId);
  // Within one meeting, a speaker with the same name and no address is assumed to be the same person, unless somebody has said
  // who they are.
  const names = [...new Set([...spoken, ...invited].map(({ name }) => name))];
  const isNamesake = (name: SQLWrapper, address: SQLWrapper, personId: SQLWrapper) =>
    sql`(${address} is null and ${name} = any(${writeArray(names)}::text::text[])
      and not exists (select from ${people} r where r.id = ${personId}))`;
  const speakers = sql`${writeArray(spoken.map(({ id }) => id))}::text::text[]`;
  const assigned = await tx
    .select({ personId: sql<string | null>`p.person_id` })
    .from(
      sql`(select person_id, email from ${participants} where meeting_id = ${meetingId}
        union select assignee_person_id, assignee_email from ${tasks} where meeting_id = ${meetingId}) p`,
    )
    .where(isSought(sql`p.email`, sql`p.person_id`, sought));
  await tx
    .update(tasks)
    .set({
      assigneeId: null,
      assigneeName: null,
      assigneeEmail: null,
      assigneePersonId: null,
      updatedAt: sql`now()`,
    })
    .where(
      sql`${tasks.meetingId} = ${meetingId} and (${isSought(tasks.assigneeEmail, tasks.assigneePersonId, sought)} or ${tasks.assigneeId} = any(${speakers})
        or ${isCalled(tasks.assigneeEmail, tasks.assigneeName, sought)}
        or ${isNamesake(tasks.assigneeName, tasks.assigneeEmail, tasks.assigneePersonId)})`,
    );
  await tx
    .update(calendarAttendees)
    .set({ name: ERASED_NAME, email: ERASED_EMAIL })
    .where(and(eq(calendarAttendees.meetingId, meetingId), isAttendee));
  const isSpeaker = sql`(${isParticipant}
    or ${isNamesake(participants.name, participants.email, participants.personId)})`;
  const isRenamed = await replaceSpeakers(tx, sought, meetingId, isSpeaker);
  const forgotten = assigned.map(({ personId }) => personId);
  await forgetPeople(tx, forgotten);
  return isRenamed;
}

/** Replaces the speakers of a meeting who are the person, and their labels. @returns false if there are none */
async function replaceSpeakers(
  tx: Database,
  sought: Sought,
  meetingId: string,
  isSpeaker: SQL,
): Promise<boolean> {
  const renamed = await tx
    .update(participants)
    .set({ name: ERASED_NAME, email: null })
    .where(sql`${participants.meetingId} = ${meetingId} and ${isSpeaker}`)
    .returning({ id: participants.id });
  // Nobody is known by an erased person's ID.
  for (const { id } of renamed)
    await tx
      .update(participants)
      .set({ personId: generateId("per"), personRevision: null, named: false })
      .where(sql`${participants.meetingId} = ${meetingId} and ${participants.id} = ${id}`);
  const labels = renamed.map(({ id }) => id);
  await replaceLabels(tx, sought, meetingId, labels);
  return renamed.length > 0;
}

/** Detaches others who were merged with the person: they are identified again by their own address. */
async function detachOthers(tx: Database, sought: Sought, meetingId: string): Promise<void> {
  const isOther = (email: SQLWrapper, personId: SQLWrapper) =>
    sql`(not ${isSought(email, personId, sought)} and ${personId} = any(${toTexts(sought.addressIds)}))`;
  await tx
    .update(participants)
    .set({ personId: null, personRevision: null })
    .where(
      sql`${participants.meetingId} = ${meetingId} and ${isOther(participants.email, participants.personId)}`,
    );
  await tx
    .update(tasks)
    .set({ assigneePersonId: null })
    .where(
      sql`${tasks.meetingId} = ${meetingId} and ${isOther(tasks.assigneeEmail, tasks.assigneePersonId)}`,
    );
}

/**
 * Replaces a person in unfinished recordings, and erases other data under their addresses: invitations, events
 * of calendars and sign-in attempts.
 * @returns the ids of the recordings
 */
export async function eraseElsewhere(db: Database, caller: Manager, sought: Sought): Promise<string[]> {
  return db.transaction(async (tx) => {
    const drafts = await tx
      .select({ id: recordingDrafts.recordingId, content: recordingDrafts.content })
      .from(recordingDrafts)
      .where(draftContains(sought))
      .orderBy(recordingDrafts.recordingId)
      .for("update");
    const changed: string[] = [];
    for (const { id, content: draft } of drafts) {
      const content = sought.emails.reduce((text, email) => replaceInDraft(text, email) ?? text, draft);
      if (content === draft) continue;
      await tx.update(recordingDrafts).set({ content }).where(eq(recordingDrafts.recordingId, id));
      await markErased(tx, sql`r.id = ${id}`);
      await tx.delete(keptAudio).where(eq(keptAudio.meetingId, id));
      await audit(tx, caller, "recording.erase-person", id);
      changed.push(id);
    }
    await tx.delete(invitations).where(isAddress(invitations.email, sought));
    await tx.delete(calendarEntries).where(entryContains(sought));
    if (sought.emails.length > 0)
      await tx.delete(signInAttempts).where(or(...sought.emails.map(isAttemptWith)));
    return changed;
  });
}

/**
 * Lists the transactions of this database that have written something and still run, by their numbers. One that runs since
 * before an erasure can have read the person and write them after it: an import does.
 */
export async function listWrites(db: Database): Promise<string[]> {
  const rows = await db
    .select({ id: sql<string>`l.transactionid::text` })
    .from(sql`pg_locks l join pg_stat_activity a on a.pid = l.pid`)
    .where(
      sql`l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and a.datname = current_database()
        and l.pid <> pg_backend_pid()`,
    );
  return rows.map(({ id }) => id);
}

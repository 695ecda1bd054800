import { createHash } from "node:crypto";
import { type Database, executePrepared, schema, writeArray } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { generateId, toBase62 } from "../lib/ids.js";
import { ensurePeople } from "./addresses.js";
import { type Assignee, identify, listNames, type Speaker } from "./identify.js";
import { updateNamesInMeeting } from "./update-names.js";

const { meetings, participants, people, tasks } = schema;

/** Reads the speakers of a meeting in order. */
export const readSpeakers = (tx: Database, meetingId: string) =>
  tx.select().from(participants).where(eq(participants.meetingId, meetingId)).orderBy(participants.position);

const readAssigned = (tx: Database, meetingId: string) =>
  tx
    .select()
    .from(tasks)
    .where(sql`${tasks.meetingId} = ${meetingId} and ${tasks.assigneePersonId} is not null`)
    .orderBy(tasks.id)
    .for("no key update");

/** Lists the people of a meeting, to forget those who aren't in it any more after a change. */
export async function listPeople(tx: Database, meetingId: string): Promise<(string | null)[]> {
  const speakers = await readSpeakers(tx, meetingId);
  const assigned = await readAssigned(tx, meetingId);
  return [
    ...speakers.map(({ personId }) => personId),
    ...assigned.map(({ assigneePersonId }) => assigneePersonId),
  ];
}

/**
 * Maps the people of a meeting whose rows come from another workspace, or from an earlier version. An address is a person of
 * this workspace; a person without one gets the same new ID in all meetings that move there; an unidentified speaker keeps
 * theirs.
 * @param replaced the speakers before an earlier version was restored
 * @returns whether a person changed, and whether a speaker has another name
 */
export async function reidentify(
  tx: Database,
  meetingId: string,
  workspaceId: string,
  replaced: readonly Speaker[] = [],
): Promise<{ readonly isChanged: boolean; readonly isRenamed: boolean }> {
  const speakers = await readSpeakers(tx, meetingId);
  const assigned = await readAssigned(tx, meetingId);
  const former = [
    ...speakers.map(({ personId }) => personId),
    ...assigned.map((task) => task.assigneePersonId),
  ];
  await lockIds(tx, former);
  const lent = await listLent(tx, speakers, replaced);
  const strangers = await listStrangers(tx, workspaceId, former);
  // An assignee who spoke is the speaker, who may have no address.
  const silent = assigned.filter((task) => speakers.every(({ id }) => id !== task.assigneeId));
  await rememberPeople(tx, workspaceId, [
    ...speakers,
    ...silent.map((task) => ({
      ...{ personId: task.assigneePersonId, email: task.assigneeEmail, name: task.assigneeName ?? "" },
    })),
  ]);
  const mapped: (Speaker & (typeof speakers)[number])[] = [];
  for (const speaker of speakers) {
    const { personId, email, name, named } = speaker;
    if (email || (personId !== null && lent.has(personId)))
      mapped.push({ ...speaker, personId: null, named: false });
    else if (personId !== null && (strangers.has(personId) || named))
      mapped.push({ ...speaker, personId: await keepOrCopyPerson(tx, workspaceId, personId, name) });
    else mapped.push(speaker);
  }
  const mappedTasks: (Assignee & (typeof assigned)[number])[] = [];
  for (const task of assigned) {
    const { assigneePersonId, assigneeEmail, assigneeName } = task;
    if (assigneeEmail) mappedTasks.push({ ...task, assigneePersonId: null });
    else if (assigneePersonId !== null && strangers.has(assigneePersonId) && silent.includes(task)) {
      const copy = await keepOrCopyPerson(tx, workspaceId, assigneePersonId, assigneeName ?? "");
      mappedTasks.push({ ...task, assigneePersonId: copy });
    } else mappedTasks.push(task);
  }
  const identified = await identify(tx, workspaceId, { participants: mapped, tasks: mappedTasks });
  const changed = identified.participants
    .filter(({ personId }, at) => personId !== speakers[at]?.personId)
    .map((speaker) => ({ ...speaker, named: speakers.find(({ id }) => id === speaker.id)?.named ?? false }));
  await writeSpeakers(tx, meetingId, changed);
  const reassigned = identified.tasks.filter(
    (task, at) => task.assigneePersonId !== assigned[at]?.assigneePersonId,
  );
  await writeAssignees(tx, reassigned);
  const isStale = await updateNamesInMeeting(tx, meetingId);
  const names = listNames(speakers);
  return {
    isChanged: isStale || changed.length + reassigned.length > 0,
    isRenamed: isStale || changed.some(({ id, name }) => name !== names.get(id)),
  };
}

/**
 * Lists the IDs of speakers whose naming was undone that now belong to a person: other speakers were named as the person
 * who took the ID. Forgets those without other speakers, so that the ID is only the speaker's again.
 */
async function listLent(
  tx: Database,
  speakers: readonly Speaker[],
  replaced: readonly Speaker[],
): Promise<ReadonlySet<string>> {
  const named = new Map(replaced.filter((one) => one.named).map(({ id, personId }) => [id, personId]));
  const ids = speakers
    .filter((one) => !one.named && !one.email && one.personId && named.get(one.id) === one.personId)
    .map(({ personId }) => personId ?? "");
  if (ids.length === 0) return new Set();
  await forgetPeople(tx, ids);
  const rows = await tx
    .select({ id: people.id })
    .from(people)
    .where(sql`${people.id} = any(${writeArray(ids)}::text::text[])`);
  return new Set(rows.map(({ id }) => id));
}

/** Adds those people again who were forgotten since, under their former IDs. */
async function rememberPeople(
  tx: Database,
  workspaceId: string,
  rows: readonly { readonly personId: string | null; readonly email: string | null; readonly name: string }[],
): Promise<void> {
  const forgotten = new Map(
    rows.flatMap(({ personId, email, name }) =>
      personId && email ? [[personId, { personId, email: email.toLowerCase(), name: name || email }]] : [],
    ),
  );
  if (forgotten.size === 0) return;
  await lockIds(tx, [...forgotten.keys()]);
  const known = await tx
    .select({ id: people.id })
    .from(people)
    .where(sql`${people.id} = any(${writeArray([...forgotten.keys()])}::text::text[])`);
  for (const { id } of known) forgotten.delete(id);
  await ensurePeople(tx, workspaceId, [...forgotten.values()]);
}

/**
 * Locks IDs until the transaction ends: only one workspace at a time decides whether it has the person. An ID without a
 * row in `people` has nothing else to lock.
 */
async function lockIds(tx: Database, ids: readonly (string | null)[]): Promise<void> {
  const known = [...new Set(ids.filter((id) => id !== null))].sort();
  if (known.length === 0) return;
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(i.id, 0)) from unnest(${writeArray(known)}::text::text[]) i(id)`,
  );
}

/**
 * Adds a person without an address to a directory under an ID that a speaker has, unless they are in it.
 * @returns false if the ID belongs to another workspace: it is in that directory, or in one of that workspace's meetings
 */
export async function addPerson(
  tx: Database,
  workspaceId: string,
  id: string,
  name: string,
): Promise<boolean> {
  await lockIds(tx, [id]);
  await tx.execute(sql`
    insert into ${people} (id, workspace_id, name) select ${id}, ${workspaceId}, ${name}
    where not exists (select from ${participants} p join ${meetings} m on m.id = p.meeting_id
        where p.person_id = ${id} and m.workspace_id <> ${workspaceId})
      and not exists (select from ${tasks} k where k.assignee_person_id = ${id} and k.workspace_id <> ${workspaceId})
    on conflict do nothing`);
  return (await tx.$count(people, and(eq(people.id, id), eq(people.workspaceId, workspaceId)))) > 0;
}

/**
 * Deletes people who are no longer in any meeting, and people without an address once no speaker is named as them. The database
 * does the same when a meeting is deleted.
 */
export async function forgetPeople(
  tx: Database,
  people: readonly (string | null | undefined)[],
): Promise<void> {
  const ids = [...new Set(people.filter((id) => id !== null && id !== undefined))];
  if (ids.length > 0) await tx.execute(sql`select forget_people(${writeArray(ids)}::text::text[])`);
}

/** Lists those of some people who are in the directory of another workspace. */
export async function listStrangers(
  tx: Database,
  workspaceId: string,
  ids: readonly (string | null)[],
): Promise<ReadonlySet<string>> {
  const known = ids.filter((id) => id !== null);
  const rows = await tx
    .select({ id: people.id })
    .from(people)
    .where(
      sql`${people.id} = any(${writeArray(known)}::text::text[]) and ${people.workspaceId} <> ${workspaceId}`,
    );
  return new Set(rows.map(({ id }) => id));
}

/**
 * Adds a person without an address to a workspace, with the name they have in the meeting.
 * @returns their ID: the same one, or one derived from both workspaces if it belongs to another
 */
async function keepOrCopyPerson(
  tx: Database,
  workspaceId: string,
  personId: string,
  name: string,
): Promise<string> {
  const hash = createHash("sha256").update(`${personId} ${workspaceId}`).digest();
  const derived = `per_${toBase62(hash.subarray(0, 16), 22)}`;
  for (const id of [personId, derived]) if (await addPerson(tx, workspaceId, id, name)) return id;
  const id = generateId("per");
  await addPerson(tx, workspaceId, id, name);
  return id;
}

/** Writes the names and people of speakers. */
export async function writeSpeakers(
  tx: Database,
  meetingId: string,
  speakers: readonly {
    id: string;
    name: string;
    personId: string | null;
    personRevision: number | null;
    named: boolean;
  }[],
): Promise<void> {
  const list = (pick: (speaker: (typeof speakers)[number]) => string | number | boolean | null) =>
    sql`${writeArray(speakers.map(pick))}::text`;
  if (speakers.length === 0) return;
  await executePrepared(
    tx,
    sql`update ${participants} p set name = n.name, person_id = n.person, person_revision = n.revision, named = n.named
      from unnest(${list(({ id }) => id)}::text[], ${list(({ name }) => name)}::text[],
        ${list(({ personId }) => personId)}::text[], ${list(({ personRevision }) => personRevision)}::int[],
        ${list(({ named }) => named)}::boolean[]) as n(id, name, person, revision, named)
      where p.meeting_id = ${meetingId} and p.id = n.id`,
  );
}

/** Writes the people and names of assignees. */
export async function writeAssignees(
  tx: Database,
  assigned: readonly { id: string; assigneePersonId: string | null; assigneeName: string | null }[],
): Promise<void> {
  for (const { id, assigneePersonId, assigneeName } of assigned)
    await tx.update(tasks).set({ assigneePersonId, assigneeName }).where(eq(tasks.id, id));
}

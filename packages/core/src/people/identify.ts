import type { Database } from "@minutes/db";
import { generateId } from "../lib/ids.js";
import { ensurePeople, type KnownPerson, type NamedAddress } from "./addresses.js";

/** A speaker of a meeting, as its row. */
export interface Speaker {
  readonly id: string;
  readonly name: string;
  readonly email?: string | null | undefined;
  /** Null or absent: not identified yet. */
  readonly personId?: string | null | undefined;
  readonly personRevision?: number | null | undefined;
  readonly named?: boolean | undefined;
}

/** The assignee of a task, as its row. */
export interface Assignee {
  readonly assigneeId?: string | null | undefined;
  readonly assigneeName?: string | null | undefined;
  readonly assigneeEmail?: string | null | undefined;
  readonly assigneePersonId?: string | null | undefined;
}

/** Speakers and assignees with their people. */
export interface Identified<P, T> {
  readonly participants: readonly (P & Required<Pick<Speaker, "personId" | "personRevision" | "named">>)[];
  readonly tasks: readonly (T & { readonly assigneePersonId: string | null })[];
}

/**
 * Matches the assignee of a task to a speaker: by address if the assignee has one, otherwise by name. With an address, an equal
 * name isn't enough: the speaker can be somebody else.
 * @param speakers in order; the last of equal ones counts
 */
export const findAssignee = <S extends Speaker>(
  speakers: readonly S[],
  { name, email }: { readonly name: string; readonly email?: string | null | undefined },
): S | undefined =>
  speakers.findLast((speaker) =>
    email ? speaker.email?.toLowerCase() === email.toLowerCase() : speaker.name === name,
  );

/** Names shown for the labels of speakers; a label that is missing keeps its name. */
export const listNames = (participants: readonly Speaker[]): ReadonlyMap<string, string> =>
  new Map(participants.map(({ id, name }) => [id, name]));

/**
 * Identifies the speakers and assignees of a meeting: by the person they already have, by their address, else as a person
 * of this meeting only. Part of the storing transaction.
 * @param stored the meeting's speakers until now. One that somebody named keeps person, name and address.
 */
export async function identify<P extends Speaker, T extends Assignee>(
  tx: Database,
  workspaceId: string,
  { participants, tasks }: { readonly participants: readonly P[]; readonly tasks: readonly T[] },
  stored: readonly Speaker[] = [],
): Promise<Identified<P, T>> {
  const before = new Map(stored.map((speaker) => [speaker.id, speaker]));
  const known = await ensurePeople(tx, workspaceId, listAddresses(participants, tasks, before));
  const speakers = participants.map((speaker) => identifySpeaker(speaker, before.get(speaker.id), known));
  const byLabel = new Map(speakers.map((speaker) => [speaker.id, speaker]));
  return { participants: speakers, tasks: tasks.map((task) => identifyAssignee(task, byLabel, known)) };
}

/** Lists the addresses that decide: not those of speakers with a person. A speaker's name comes before an assignee's. */
function listAddresses(
  participants: readonly Speaker[],
  tasks: readonly Assignee[],
  before: ReadonlyMap<string, Speaker>,
): NamedAddress[] {
  const names = new Map<string, string>();
  const add = (email: string | null | undefined, name: string | null | undefined) => {
    const key = email?.toLowerCase();
    if (key && !names.has(key)) names.set(key, name || key);
  };
  for (const { id, personId, email, name } of participants)
    if (!personId && !before.get(id)?.named) add(email, name);
  const labels = new Set(participants.map(({ id }) => id));
  for (const { assigneePersonId, assigneeId, assigneeEmail, assigneeName } of tasks)
    if (!assigneePersonId && !(assigneeId && labels.has(assigneeId))) add(assigneeEmail, assigneeName);
  return [...names].map(([email, name]) => ({ email, name }));
}

function identifySpeaker<P extends Speaker>(
  speaker: P,
  stored: Speaker | undefined,
  known: ReadonlyMap<string, KnownPerson>,
): Identified<P, never>["participants"][number] {
  const { personId, personRevision = null, named = false } = speaker;
  if (personId) return { ...speaker, personId, personRevision, named };
  if (stored?.named && stored.personId) {
    const { name, email = null } = stored;
    return {
      ...speaker,
      name,
      email,
      personId: stored.personId,
      personRevision: stored.personRevision ?? null,
      named: true,
    };
  }
  const person = speaker.email ? known.get(speaker.email.toLowerCase()) : undefined;
  if (person) return { ...speaker, ...toNamed(person, speaker.name), named };
  const kept = speaker.email || stored?.email ? null : stored?.personId;
  return { ...speaker, personId: kept ?? generateId("per"), personRevision: null, named };
}

/** Returns a person's ID and name: the directory's once somebody renamed or merged them, else the sent one. */
const toNamed = ({ personId, revision, name }: KnownPerson, sent: string) =>
  revision > 0
    ? { personId, personRevision: revision, name }
    : { personId, personRevision: null, name: sent };

function identifyAssignee<T extends Assignee>(
  task: T,
  speakers: ReadonlyMap<string, Speaker>,
  known: ReadonlyMap<string, KnownPerson>,
): T & { readonly assigneePersonId: string | null } {
  const { assigneeId, assigneeName, assigneeEmail, assigneePersonId } = task;
  const speaker = assigneeId ? speakers.get(assigneeId) : undefined;
  if (speaker) {
    const facts = { assigneePersonId: speaker.personId ?? null };
    if (!speaker.named && speaker.personRevision === null) return { ...task, ...facts };
    return { ...task, ...facts, assigneeName: speaker.name, assigneeEmail: speaker.email ?? null };
  }
  if (assigneePersonId) return { ...task, assigneePersonId };
  const person = assigneeEmail ? known.get(assigneeEmail.toLowerCase()) : undefined;
  if (!person) return { ...task, assigneePersonId: null };
  const { personId, name } = toNamed(person, assigneeName ?? "");
  return { ...task, assigneePersonId: personId, assigneeName: name };
}

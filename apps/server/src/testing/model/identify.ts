import { compare } from "./compare.js";
import type { Assignee, Content, Meeting, Speaker, Task, Workspace, World } from "./world.js";

/** Gives a name to an ID that nobody has had before. */
export const nameId = (world: World): string => `person ${++world.named}`;

/** Returns the person of an address in a workspace's directory. */
function findPerson(world: World, workspace: Workspace, email: string): string | undefined {
  for (const [person, known] of world.people)
    if (known.workspace === workspace && known.email === email) return person;
  return undefined;
}

/** Returns the person of an address in a workspace's directory, who is added if missing. */
function ensurePerson(world: World, workspace: Workspace, email: string, name: string): string {
  const known = findPerson(world, workspace, email);
  if (known !== undefined) return known;
  const person = nameId(world);
  addPerson(world, workspace, person, name, email);
  return person;
}

/** Adds a person to a directory, unless the ID is known. */
export function addPerson(
  world: World,
  workspace: Workspace,
  person: string,
  name: string,
  email: string | null = null,
): void {
  if (!world.people.has(person))
    world.people.set(person, { workspace, email, name, revision: 0, mergedInto: null });
}

/** Returns the person who stands for another one, whose ID answers contain. */
export const getHead = ({ people }: World, person: string): string =>
  people.get(person)?.mergedInto ?? person;

/** Returns a directory's name for a person, if somebody has renamed or merged them. */
function findName(world: World, person: string): { name: string; revision: number } | null {
  const head = world.people.get(getHead(world, person));
  return head && head.revision > 0 ? { name: head.name, revision: head.revision } : null;
}

/** A speaker as a recorder sends them. */
type SentSpeaker = Omit<Speaker, "person" | "named" | "revision">;
type SentAssignee = Omit<Assignee, "person">;
type SentTask = Omit<Task, "assignee"> & { readonly assignee: SentAssignee | null };

/**
 * Finds the people of a meeting by their address. A speaker without one is a person of this meeting only, the same until
 * they get an address. A speaker who was assigned to a person keeps that person.
 */
export function identify(
  world: World,
  workspace: Workspace,
  sent: { readonly speakers: readonly SentSpeaker[]; readonly tasks: readonly SentTask[] },
  stored: readonly Speaker[],
): { readonly speakers: Speaker[]; readonly tasks: Task[] } {
  const speakers = sent.speakers.map((speaker): Speaker => {
    const { email } = speaker;
    const before = stored.find(({ label }) => label === speaker.label);
    if (before?.named) return { ...before, position: speaker.position };
    const kept = before?.email === null ? before.person : undefined;
    if (!email) return { ...speaker, person: kept ?? nameId(world), named: false, revision: null };
    const person = ensurePerson(world, workspace, email, speaker.name);
    return { ...speaker, person, named: false, revision: null, ...findName(world, person) };
  });
  const tasks = sent.tasks.map(
    (task): Task => ({
      ...task,
      assignee: task.assignee && identifyAssignee(world, workspace, speakers, task.assignee),
    }),
  );
  return { speakers, tasks };
}

/** Finds the person of an assignee: the speaker they are, who may have been named, or by their address. */
function identifyAssignee(
  world: World,
  workspace: Workspace,
  speakers: readonly Speaker[],
  assignee: SentAssignee,
): Assignee {
  const speaker = speakers.find(({ label }) => label === assignee.label);
  if (speaker?.named || (speaker && speaker.revision !== null)) return toAssigneeOf(speaker);
  if (speaker || !assignee.email) return { ...assignee, person: speaker?.person ?? null };
  const person = ensurePerson(world, workspace, assignee.email, assignee.name);
  return { ...assignee, person, name: findName(world, person)?.name ?? assignee.name };
}

/** Finds the people of those speakers and assignees whose person is unknown, by their addresses. */
export function identifyOpen(
  world: World,
  workspace: Workspace,
  content: Content,
  isOpen: (person: string | null) => boolean,
): Content {
  const speakers = content.speakers.map((speaker): Speaker => {
    if (!isOpen(speaker.person) || !speaker.email) return speaker;
    const person = ensurePerson(world, workspace, speaker.email, speaker.name);
    return { ...speaker, person, revision: null, ...findName(world, person) };
  });
  const tasks = content.tasks.map((task): Task => {
    const { assignee } = task;
    if (!assignee || !isOpen(assignee.person)) return task;
    return { ...task, assignee: identifyAssignee(world, workspace, speakers, assignee) };
  });
  return { ...content, speakers, tasks };
}

/** Returns a speaker as the assignee of a task. */
export const toAssigneeOf = ({ label, name, email, person }: Speaker): Assignee => ({
  ...{ label, name, email, person },
});

/** How a caller says who a speaker is. */
export interface Who {
  /** The model's name for a person's ID. */
  readonly person?: string;
  readonly name?: string;
  readonly email?: string;
}

/** How a person is called in a meeting. */
export type Called = Pick<Speaker, "person" | "name" | "email" | "revision">;

/**
 * Finds or adds the person that a caller names without an ID: by address, or a new one by name.
 * @param own the speaker's ID until now; a new person takes it if nobody is known by it
 */
export function nameSomebody(
  world: World,
  workspace: Workspace,
  { name = "", email }: Who,
  own: string | null,
): Called {
  const address = email?.toLowerCase() ?? null;
  if (address !== null) {
    const person = ensurePerson(world, workspace, address, name);
    return { person, email: address, name, revision: null, ...findName(world, person) };
  }
  const person = own !== null && !world.people.has(own) ? own : nameId(world);
  addPerson(world, workspace, person, name);
  return { person, name, email: null, revision: null };
}

/**
 * Lists how a person is called in the newest of some meetings, preferably one that has their address; several if that
 * meeting has several names.
 */
export function listNames(world: World, meetings: readonly Meeting[], person: string): Called[] {
  const head = getHead(world, person);
  const seen = meetings.flatMap(({ id, content: { startTime, speakers, tasks } }) =>
    [...speakers, ...tasks.flatMap(({ assignee }) => assignee ?? [])]
      .filter((one) => one.person !== null && getHead(world, one.person) === head)
      .map(({ name, email }) => ({ id, startTime, name, email })),
  );
  const [best] = seen.toSorted(
    (one, other) =>
      Number(one.email === null) - Number(other.email === null) ||
      compare(other.startTime, one.startTime) ||
      compare(one.id, other.id),
  );
  return seen
    .filter(({ id, email }) => id === best?.id && (email === null) === (best.email === null))
    .map(({ name, email }) => ({
      person: head,
      name,
      email,
      revision: findName(world, head)?.revision ?? null,
    }));
}

/** Returns the assignee that a caller named for a task: the last speaker with that address, or else with that name. */
export function toAssignee(
  world: World,
  { owner, content: { speakers } }: Meeting,
  { name, email: given }: { readonly name: string; readonly email?: string },
): Assignee {
  const email = given?.toLowerCase() ?? null;
  const speaker =
    speakers.findLast((one) => email !== null && one.email === email) ??
    speakers.findLast((one) => one.name === name);
  return identifyAssignee(world, owner.workspace, speakers, { label: speaker?.label ?? null, name, email });
}

/**
 * Finds the people of content that comes from another workspace or an earlier version. People who have been removed from
 * the directory since come back under their former IDs; people of another workspace get a new ID here.
 */
export function identifyAgain(world: World, workspace: Workspace, content: Content): Content {
  const { tasks } = content;
  const silent = tasks.flatMap(({ assignee }) =>
    assignee && content.speakers.every(({ label }) => label !== assignee.label) ? [assignee] : [],
  );
  const forgotten = [...content.speakers, ...silent].filter(
    ({ person, email }) => person && email && !world.people.has(person),
  );
  // The last name counts.
  for (const { person, email, name } of forgotten.reverse())
    if (person && email && !findPerson(world, workspace, email))
      addPerson(world, workspace, person, name || email, email);
  const speakers = content.speakers.map((speaker) => identifySpeakerAgain(world, workspace, speaker));
  const identifyTask = (assignee: Assignee): Assignee => {
    const speaker = speakers.find(({ label }) => label === assignee.label);
    if (speaker) return { ...assignee, person: speaker.person };
    const { person, name } = assignee;
    if (!assignee.email)
      return { ...assignee, person: person && copyStranger(world, workspace, person, name) };
    return { ...assignee, person: ensurePerson(world, workspace, assignee.email, assignee.name) };
  };
  const identified = {
    ...content,
    speakers,
    tasks: tasks.map((task) => ({ ...task, assignee: task.assignee && identifyTask(task.assignee) })),
  };
  return followNames(world, identified);
}

/** Gives speakers and assignees the names that their people have in the directory. */
export function followNames(world: World, content: Content): Content {
  const speakers = content.speakers.map((speaker) => {
    const known = findName(world, speaker.person);
    return known && known.revision > (speaker.revision ?? 0) ? { ...speaker, ...known } : speaker;
  });
  const followName = (assignee: Assignee): Assignee => {
    const known = assignee.person === null ? null : findName(world, assignee.person);
    const speaker = speakers.find(({ label }) => label === assignee.label);
    return known ? { ...assignee, name: speaker?.name ?? known.name } : assignee;
  };
  const tasks = content.tasks.map((task) => ({
    ...task,
    assignee: task.assignee && followName(task.assignee),
  }));
  return { ...content, speakers, tasks };
}

function identifySpeakerAgain(world: World, workspace: Workspace, speaker: Speaker): Speaker {
  const { person, email, name, named } = speaker;
  if (email) {
    const here = ensurePerson(world, workspace, email, name);
    return here === person ? speaker : { ...speaker, person: here, revision: null, ...findName(world, here) };
  }
  if (named) addPerson(world, workspace, person, name);
  return { ...speaker, person: copyStranger(world, workspace, person, name) };
}

/** Returns the ID that a person of another workspace without an address has in this one; others keep theirs. */
function copyStranger(world: World, workspace: Workspace, person: string, name: string): string {
  const known = world.people.get(person);
  if (!known || known.workspace === workspace) return person;
  const copy = `${person} in ${workspace.id}`;
  addPerson(world, workspace, copy, name);
  return copy;
}

/** Removes people from the directories who are in no meeting any more. Should they come back, they have another ID. */
export function forgetPeople(world: World): void {
  const named = new Set(
    world.meetings
      .filter(({ state }) => state === "completed")
      .flatMap(({ content: { speakers, tasks } }) => [
        ...speakers,
        ...tasks.flatMap(({ assignee }) => assignee ?? []),
      ])
      .flatMap(({ person }) => (person === null ? [] : getHead(world, person))),
  );
  for (const person of world.people.keys())
    if (!named.has(getHead(world, person))) world.people.delete(person);
}

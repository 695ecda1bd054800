import { compare } from "./compare.js";
import type { Assignee, Content, Meeting, Speaker, Task, Workspace, World } from "./world.js";

/** Gives a name to an ID that nobody has had before. */
const nameId = (world: World): string => `person ${++world.named}`;

/** Returns the person of an address in a workspace's directory. */
function findPerson(world: World, workspace: Workspace, email: string): string | undefined {
  for (const [person, known] of world.people)
    if (known.workspace === workspace && known.email === email) return person;
  return undefined;
}

/** Returns the person of an address in a workspace's directory, who is added if missing. */
function ensurePerson(world: World, workspace: Workspace, email: string): string {
  const known = findPerson(world, workspace, email);
  if (known !== undefined) return known;
  const person = nameId(world);
  world.people.set(person, { workspace, email });
  return person;
}

/** Adds a person without an address to a directory, unless the ID is known. */
function addPerson(world: World, workspace: Workspace, person: string): void {
  if (!world.people.has(person)) world.people.set(person, { workspace, email: null });
}

/** A speaker as a recorder sends them. */
type SentSpeaker = Omit<Speaker, "person" | "named">;
type SentAssignee = Omit<Assignee, "person">;
type SentTask = Omit<Task, "assignee"> & { readonly assignee: SentAssignee | null };

/**
 * Finds the people of a meeting: by their address, else somebody of this meeting only, who stays the same while the speaker
 * has no address. A speaker whom somebody named stays who they are.
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
    const person = email ? ensurePerson(world, workspace, email) : (kept ?? nameId(world));
    return { ...speaker, person, named: false };
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
  if (speaker?.named) return toAssigneeOf(speaker);
  const person = speaker?.person ?? (assignee.email ? ensurePerson(world, workspace, assignee.email) : null);
  return { ...assignee, person };
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

/**
 * Finds or adds the person that a caller names without an ID: by address, or a new one by name.
 * @param own the speaker's ID until now; a new person takes it if nobody is known by it
 */
export function nameSomebody(
  world: World,
  workspace: Workspace,
  { name = "", email }: Who,
  own: string | null,
): Pick<Speaker, "person" | "name" | "email"> {
  const address = email?.toLowerCase() ?? null;
  if (address !== null) return { person: ensurePerson(world, workspace, address), name, email: address };
  const person = own !== null && !world.people.has(own) ? own : nameId(world);
  addPerson(world, workspace, person);
  return { person, name, email: null };
}

/** How a person is called in a meeting. */
export type Called = Pick<Speaker, "person" | "name" | "email">;

/**
 * Lists how a person is called in the newest of some meetings, preferably one that has their address; several if that
 * meeting has several names.
 */
export function listNames(meetings: readonly Meeting[], person: string): Called[] {
  const seen = meetings.flatMap(({ id, content: { startTime, speakers, tasks } }) =>
    [...speakers, ...tasks.flatMap(({ assignee }) => assignee ?? [])]
      .filter((one) => one.person === person)
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
    .map(({ name, email }) => ({ person, name, email }));
}

/** Returns the assignee of a task of a meeting whom a caller named: a speaker by address or name, the last of several. */
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
 * Finds the people of content that comes from another workspace or an earlier version. Those whom their directory has
 * forgotten since come back under their former IDs; somebody whom only another workspace knows gets another ID here.
 */
export function identifyAgain(world: World, workspace: Workspace, content: Content): Content {
  const { tasks } = content;
  const silent = tasks.flatMap(({ assignee }) =>
    assignee && content.speakers.every(({ label }) => label !== assignee.label) ? [assignee] : [],
  );
  for (const { person, email } of [...content.speakers, ...silent])
    if (person && email && !world.people.has(person) && !findPerson(world, workspace, email))
      world.people.set(person, { workspace, email });
  const speakers = content.speakers.map((speaker) => ({
    ...speaker,
    person: identifySpeakerAgain(world, workspace, speaker),
  }));
  const identifyTask = (assignee: Assignee): Assignee => {
    const speaker = speakers.find(({ label }) => label === assignee.label);
    const known = assignee.email ? ensurePerson(world, workspace, assignee.email) : assignee.person;
    return { ...assignee, person: speaker ? speaker.person : known };
  };
  return {
    ...content,
    speakers,
    tasks: tasks.map((task) => ({ ...task, assignee: task.assignee && identifyTask(task.assignee) })),
  };
}

function identifySpeakerAgain(world: World, workspace: Workspace, { person, email, named }: Speaker): string {
  if (email) return ensurePerson(world, workspace, email);
  const known = world.people.get(person);
  if (known && known.workspace !== workspace) {
    const copy = `${person} in ${workspace.id}`;
    addPerson(world, workspace, copy);
    return copy;
  }
  if (named) addPerson(world, workspace, person);
  return person;
}

/** Removes people from the directories who are in no meeting any more. Should they come back, they have another ID. */
export function forgetPeople(world: World): void {
  const named = new Set(
    world.meetings
      .filter(({ state }) => state === "completed")
      .flatMap(({ content: { speakers, tasks } }) => [
        ...speakers.map(({ person }) => person),
        ...tasks.map(({ assignee }) => assignee?.person),
      ]),
  );
  for (const person of world.people.keys()) if (!named.has(person)) world.people.delete(person);
}

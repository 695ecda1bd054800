import type { Assignee, Content, Speaker, Task, Workspace, World } from "./world.js";

/** Gives a name to an ID that nobody has had before. */
const nameId = (world: World): string => `person ${++world.named}`;

/** Returns the person of an address in a workspace's directory, who is added if missing. */
function ensurePerson(world: World, workspace: Workspace, email: string): string {
  for (const [person, known] of world.people)
    if (known.workspace === workspace && known.email === email) return person;
  const person = nameId(world);
  world.people.set(person, { workspace, email });
  return person;
}

interface Sent {
  readonly speakers: readonly Omit<Speaker, "person">[];
  readonly tasks: readonly (Omit<Task, "assignee"> & {
    readonly assignee: Omit<Assignee, "person"> | null;
  })[];
}

/**
 * Finds the people of a meeting by their address. A speaker without one is a person of this meeting only, the same until
 * they get an address.
 * @param stored the speakers of the same meeting until now
 */
export function identify(
  world: World,
  workspace: Workspace,
  sent: Sent,
  stored: readonly Speaker[],
): Pick<Content, "speakers" | "tasks"> {
  const speakers = sent.speakers.map((speaker): Speaker => {
    const before = stored.find(({ label }) => label === speaker.label);
    const kept = before?.email === null ? before.person : undefined;
    const person = speaker.email ? ensurePerson(world, workspace, speaker.email) : (kept ?? nameId(world));
    return { ...speaker, person };
  });
  const tasks = sent.tasks.map(({ assignee, ...task }): Task => {
    const speaker = assignee && speakers.find(({ label }) => label === assignee.label);
    const byAddress = () => (assignee?.email ? ensurePerson(world, workspace, assignee.email) : null);
    return { ...task, assignee: assignee && { ...assignee, person: speaker?.person ?? byAddress() } };
  });
  return { speakers, tasks };
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
      .map(({ person }) => person),
  );
  for (const person of world.people.keys()) if (!named.has(person)) world.people.delete(person);
}

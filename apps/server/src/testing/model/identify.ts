import type { Assignee, Speaker, Task, Workspace, World } from "./world.js";

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

type Unidentified<Item> = Omit<Item, "person">;
type UnidentifiedTask = Omit<Task, "assignee"> & { readonly assignee: Unidentified<Assignee> | null };

/**
 * Finds the people of a meeting: by their address, else somebody of this meeting only, who stays the same while the speaker
 * has no address.
 */
export function identify(
  world: World,
  workspace: Workspace,
  given: { readonly speakers: readonly Unidentified<Speaker>[]; readonly tasks: readonly UnidentifiedTask[] },
  stored: readonly Speaker[],
): { readonly speakers: Speaker[]; readonly tasks: Task[] } {
  const speakers = given.speakers.map((speaker): Speaker => {
    const { label, email } = speaker;
    const before = stored.find((one) => one.label === label && one.email === null);
    const person = email ? ensurePerson(world, workspace, email) : (before?.person ?? nameId(world));
    return { ...speaker, person };
  });
  const tasks = given.tasks.map((task): Task => {
    const { assignee } = task;
    if (!assignee) return { ...task, assignee: null };
    const speaker = speakers.find(({ label }) => label === assignee.label);
    const person =
      speaker?.person ?? (assignee.email ? ensurePerson(world, workspace, assignee.email) : null);
    return { ...task, assignee: { ...assignee, person } };
  });
  return { speakers, tasks };
}

/** Finds the people of meetings that moved to another workspace with their owner. */
export function identifyMoved(world: World, workspace: Workspace, meetings: World["meetings"]): void {
  for (const meeting of meetings) {
    if (meeting.state !== "completed") continue;
    const { speakers, tasks } = meeting.content;
    meeting.content = {
      ...meeting.content,
      ...identify(world, workspace, { speakers, tasks }, speakers),
    };
  }
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

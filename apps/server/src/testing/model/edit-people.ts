import { type Caller, type Expected, isUser, ok, refuse } from "./answers.js";
import { refusePlan } from "./answers-of-edits.js";
import { compare } from "./compare.js";
import { followNames, getHead } from "./identify.js";
import { listCompleted } from "./rules.js";
import { callBeyond, type Step } from "./step.js";
import type { World } from "./world.js";

const noPerson = refuse(404, "No such person.");

/** Picks a person of any directory, or a speaker who is in none. An answer must have shown their ID. */
function choosePerson({ random, world, idOf }: Step): string | null {
  const speakers = listCompleted(world).flatMap(({ content }) =>
    content.speakers.map(({ person }) => person),
  );
  const people = random.chance(0.9) ? [...world.people.keys()] : speakers;
  return random.any(people.filter((person) => idOf(person) !== undefined));
}

function chooseCaller({ random, world }: Step): Caller {
  const company = random.pick(world.companies);
  const user = random.any(
    world.users.filter(
      ({ workspace, role }) => workspace === company && (role === "admin" || random.chance(0.1)),
    ),
  );
  return user && random.chance(0.5) ? { user } : { workspace: company };
}

/** Refuses a caller who can't change the directory, and people who aren't in it. */
function refuseDirectory(world: World, caller: Caller, people: readonly string[]): Expected | null {
  const refusal = refusePlan(caller);
  if (refusal) return refusal;
  if (isUser(caller) && caller.user.role !== "admin")
    return refuse(403, "Only a workspace admin can do this.");
  const { workspace } = isUser(caller) ? caller.user : caller;
  const isKnown = people.every((person) => world.people.get(getHead(world, person))?.workspace === workspace);
  return isKnown ? null : noPerson;
}

/** Counts the meetings and tasks of a person. */
function count(world: World, head: string) {
  const isThem = (person: string | null | undefined) => !!person && getHead(world, person) === head;
  const all = listCompleted(world);
  return {
    meetings: all.filter(({ content }) => content.speakers.some(({ person }) => isThem(person))).length,
    tasks: all.flatMap(({ content }) => content.tasks).filter(({ assignee }) => isThem(assignee?.person))
      .length,
  };
}

/** Gives a person who was never renamed or merged the name from their newest meeting, preferring speakers over assignees. */
function confirmName(world: World, person: string): void {
  const known = world.people.get(person);
  if (!known || known.revision > 0) return;
  const mentions = listCompleted(world)
    .filter(({ owner }) => owner.workspace === known.workspace)
    .flatMap(({ id, content: { startTime, speakers, tasks } }) => [
      ...speakers.map((one) => ({ ...one, id, startTime, isTask: 0 })),
      ...tasks.flatMap(({ assignee }) => (assignee ? { ...assignee, id, startTime, isTask: 1 } : [])),
    ])
    .filter((one) => one.person === person && one.name !== "");
  const [newest] = mentions.toSorted(
    (one, other) =>
      one.isTask - other.isTask ||
      compare(other.startTime, one.startTime) ||
      compare(one.id, other.id) ||
      compare(one.name, other.name),
  );
  known.name = newest?.name ?? known.name;
}

/** Writes the directory's names to the meetings. */
export function settle(world: World): void {
  for (const meeting of listCompleted(world)) meeting.content = followNames(world, meeting.content);
}

/** Renames a person in all meetings. */
export async function renamePerson(step: Step) {
  const { random, world, idOf } = step;
  const person = choosePerson(step);
  if (person === null) return;
  const caller = chooseCaller(step);
  const name = random.pick(["Zoe", "Yann", "Xaver"]);
  const answer = await callBeyond(step, caller, "people.update", { personId: idOf(person), name });
  const what = `rename ${person} to ${name}`;
  const refusal = refuseDirectory(world, caller, [person]);
  const head = world.people.get(getHead(world, person));
  if (refusal || !head) return step.expect(what, answer, refusal ?? noPerson);
  Object.assign(head, { name, revision: head.revision + 1 });
  const headId = getHead(world, person);
  step.expect(what, answer, ok({ personId: headId, ...count(world, headId) }));
  settle(world);
}

/** Merges two people of a directory. */
export async function mergePeople(step: Step) {
  const { random, world, idOf } = step;
  const [person, into] = [choosePerson(step), choosePerson(step)];
  if (person === null || into === null || idOf(person) === idOf(into)) return;
  const caller = chooseCaller(step);
  const dryRun = random.chance(0.1);
  const input = { personId: idOf(person), intoId: idOf(into), dryRun };
  const answer = await callBeyond(step, caller, "people.merge", input);
  const what = `merge ${person} into ${into}`;
  const refusal = refuseDirectory(world, caller, [person, into]);
  if (refusal) return step.expect(what, answer, refusal);
  const [fromId, toId] = [getHead(world, person), getHead(world, into)];
  if (fromId === toId) {
    return step.expect(what, answer, refuse(400, "A person can't be merged with themselves."));
  }
  step.expect(what, answer, ok({ personId: toId, ...count(world, fromId) }));
  const [from, to] = [world.people.get(fromId), world.people.get(toId)];
  if (dryRun || !from || !to) return;
  for (const head of [fromId, toId]) confirmName(world, head);
  for (const [id, one] of world.people) if (id === fromId || one.mergedInto === fromId) one.mergedInto = toId;
  to.revision = Math.max(from.revision, to.revision) + 1;
  settle(world);
}

/** Undoes a merge. People who had been merged into them stay with the other. */
export async function unmergePerson(step: Step) {
  const { random, world, idOf } = step;
  const merged = [...world.people].flatMap(([id, { mergedInto }]) => (mergedInto === null ? [] : [id]));
  const person = random.chance(0.9) ? random.any(merged) : choosePerson(step);
  if (person === null || idOf(person) === undefined) return;
  const caller = chooseCaller(step);
  const answer = await callBeyond(step, caller, "people.unmerge", { personId: idOf(person) });
  const what = `unmerge ${person}`;
  const refusal = refuseDirectory(world, caller, [person]);
  if (refusal) return step.expect(what, answer, refusal);
  const known = world.people.get(person);
  const head = known?.mergedInto ? world.people.get(known.mergedInto) : undefined;
  if (!known || !head) {
    return step.expect(what, answer, refuse(409, "This person is not merged into another."));
  }
  Object.assign(known, { mergedInto: null, revision: head.revision + 1 });
  step.expect(what, answer, ok({ personId: person, ...count(world, person) }));
  settle(world);
}

import { schema } from "@minutes/db";
import { desc, eq } from "drizzle-orm";
import { canSee, type Expected, refuse } from "./answers.js";
import { choosePlace, compareEdit, type Edited, type Place } from "./edits.js";
import { addPerson, type Called, listNames, nameSomebody, toAssigneeOf, type Who } from "./identify.js";
import { GUEST_ADDRESSES } from "./populate.js";
import { listCompleted } from "./rules.js";
import type { Step } from "./step.js";
import type { Content, Speaker } from "./world.js";

const noSpeaker = refuse(404, "The meeting has no speaker with this label.");
const noPerson = refuse(404, "No such person.");

/** Picks who somebody is: a person of any meeting, a new one by name, or by address. */
function chooseWho({ random, world, idOf }: Step): Who {
  const people = listCompleted(world).flatMap(({ content }) => content.speakers.map(({ person }) => person));
  const person = random.any(people.filter((one) => idOf(one) !== undefined));
  const name = random.pick(["Guest", "Zoe", "Yann", "Emma"]);
  if (person && random.chance(0.4)) return { person, ...(random.chance(0.3) ? { name } : {}) };
  const email = random.pick([...GUEST_ADDRESSES, "zoe@example.com", random.pick(world.users).email]);
  return { name, ...(random.chance(0.5) ? { email } : {}) };
}

/** Writes who somebody is as a caller does. */
const toInput = ({ idOf }: Step, { person, ...who }: Who) => ({
  ...who,
  ...(person === undefined ? {} : { personId: idOf(person) }),
});

/** Lists the names that a caller can see for a person ID: none, or several if the service may choose. */
const listCalled = ({ world }: Step, { caller, meeting }: Place, { person }: Who): Called[] => {
  const { workspace } = meeting.owner;
  const visible = listCompleted(world).filter(
    (one) => one.owner.workspace === workspace && canSee(caller, one),
  );
  return person === undefined ? [] : listNames(world, visible, person);
};

/** Returns true if the service may choose between several names or addresses. */
const isAmbiguous = (called: readonly Called[]): boolean =>
  new Set(called.map(({ name, email }) => `${name} ${email}`)).size > 1;

/** Finds the person that a caller names, or adds them. */
function resolve(
  { world }: Step,
  { meeting }: Place,
  who: Who,
  [called]: readonly Called[],
  own: string | null,
): Called | null {
  const { workspace } = meeting.owner;
  if (who.person === undefined) return nameSomebody(world, workspace, who, own);
  if (called) addPerson(world, workspace, called.person, called.name);
  return called ? { ...called, name: who.name ?? called.name } : null;
}

/** Returns the answer of an edit of a speaker. */
function toAnswer({ summary }: Content, speakerLabel: string, formerName: string, name: string) {
  const words = summary && !summary.locked ? summary.markdown.split(/\W+/) : [];
  const formerNameInSummary = formerName === name ? 0 : words.filter((word) => word === formerName).length;
  return { speakerLabel, formerName, formerNameInSummary };
}

/** Gives the tasks of a speaker the speaker's name, address and person. */
const assignTasks = (tasks: Content["tasks"], speaker: Speaker): Content["tasks"] =>
  tasks.map((task) =>
    task.assignee?.label === speaker.label ? { ...task, assignee: toAssigneeOf(speaker) } : task,
  );

const find = ({ speakers }: Content, label: string): Speaker | undefined =>
  speakers.find((speaker) => speaker.label === label);

/** Says who a speaker is. */
export async function assign(step: Step) {
  const place = choosePlace(step);
  if (!place) return;
  const { id: meetingId, content: before } = place.meeting;
  const speakerLabel = step.random.any(before.speakers)?.label ?? "s9";
  const who = chooseWho(step);
  const called = listCalled(step, place, who);
  if (isAmbiguous(called)) return;
  const input = { meetingId, speakerLabel, ...toInput(step, who) };
  await compareEdit(step, place, ["speakers.assign", input], (content): Edited => {
    const speaker = find(content, speakerLabel);
    if (!speaker) return noSpeaker;
    const known = resolve(step, place, who, called, speaker.person);
    if (!known) return noPerson;
    const named = { ...speaker, ...known, named: true };
    const speakers = content.speakers.map((one) => (one === speaker ? named : one));
    return {
      content: { ...content, speakers, tasks: assignTasks(content.tasks, named) },
      answer: toAnswer(content, speakerLabel, speaker.name, known.name),
    };
  });
}

/** Gives the turns and tasks of a speaker to another one. */
export async function mergeSpeakers(step: Step) {
  const { random } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { id: meetingId, content: before } = place.meeting;
  const [speakerLabel, intoLabel] = [
    random.any(before.speakers)?.label ?? "s1",
    random.any(before.speakers)?.label ?? "s2",
  ];
  if (speakerLabel === intoLabel) return;
  const input = { meetingId, speakerLabel, intoLabel };
  await compareEdit(step, place, ["speakers.merge", input], (content): Edited => {
    const [from, into] = [find(content, speakerLabel), find(content, intoLabel)];
    if (!from || !into) return noSpeaker;
    const stays = { ...into, position: Math.min(from.position, into.position) };
    const follow = <Labelled extends { readonly label: string | null }>(item: Labelled): Labelled =>
      item.label === speakerLabel ? { ...item, label: intoLabel } : item;
    const tasks = content.tasks.map((task) => ({
      ...task,
      assignee: task.assignee && follow(task.assignee),
    }));
    return {
      content: {
        ...content,
        speakers: content.speakers
          .filter((one) => one !== from)
          .map((one) => (one === into ? stays : one))
          .sort((one, other) => one.position - other.position),
        turns: content.turns.map(follow),
        tasks: assignTasks(tasks, stays),
      },
      answer: toAnswer(content, intoLabel, from.name, into.name),
    };
  });
}

/** Moves some turns of a speaker to a new one. */
export async function splitSpeaker(step: Step) {
  const { random, db } = step;
  const place = choosePlace(step);
  if (!place) return;
  const { id: meetingId, content: before } = place.meeting;
  const speakerLabel = random.any(before.speakers)?.label ?? "s9";
  const isWild = random.chance(0.1);
  const turns = before.turns.flatMap(({ label }, at) =>
    (label === speakerLabel || isWild) && random.chance(0.5) ? [at] : [],
  );
  if (turns.length === 0) return;
  const who = chooseWho(step);
  const called = listCalled(step, place, who);
  if (isAmbiguous(called)) return;
  const input = { meetingId, speakerLabel, turns, ...toInput(step, who) };
  await compareEdit(step, place, ["speakers.split", input], async (content): Promise<Edited> => {
    const speaker = find(content, speakerLabel);
    if (!speaker) return noSpeaker;
    const refusal = refuseTurns(content, speakerLabel, turns);
    if (refusal) return refusal;
    const known = resolve(step, place, who, called, null);
    if (!known) return noPerson;
    const label = await readLastLabel(db, meetingId);
    const position = Math.max(...content.speakers.map((one) => one.position)) + 1;
    return {
      content: {
        ...content,
        speakers: [...content.speakers, { label, position, ...known, named: true }],
        turns: content.turns.map((turn, at) => (turns.includes(at) ? { ...turn, label } : turn)),
      },
      answer: toAnswer(content, label, speaker.name, known.name),
    };
  });
}

/** Reads the label that the service gave the last speaker. */
async function readLastLabel(db: Step["db"], meetingId: string): Promise<string> {
  const { participants } = schema;
  const [last] = await db
    .select({ label: participants.id })
    .from(participants)
    .where(eq(participants.meetingId, meetingId))
    .orderBy(desc(participants.position))
    .limit(1);
  return last?.label ?? "";
}

function refuseTurns({ turns: all }: Content, label: string, turns: readonly number[]): Expected | null {
  const own = all.flatMap((turn, at) => (turn.label === label ? [at] : []));
  if (turns.some((turn) => !own.includes(turn)))
    return refuse(400, "All turns must be turns of this speaker.");
  return own.length === turns.length
    ? refuse(
        400,
        "At least one turn must stay with the speaker. Assign the speaker to somebody else instead.",
      )
    : null;
}

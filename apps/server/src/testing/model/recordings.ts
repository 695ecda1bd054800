import { findPayload } from "@minutes/testing";
import { type Expected, ok, refuse } from "./answers.js";
import { readIds, toContent, toUnfinished } from "./content.js";
import { addTags, generateMeeting } from "./populate.js";
import { complete, listCompleted, locksReplaced, remove } from "./rules.js";
import type { Step } from "./step.js";
import type { Meeting, Sent, Task, User, Workspace, World } from "./world.js";

const conflict = refuse(409, "A different meeting with this externalId exists.");
const gone = refuse(409, "A meeting with this externalId was deleted and is not imported again.");
const stranger = refuse(404, "No member of this workspace has this e-mail address.");
const ended = refuse(409, "This recording already ended with another result.");

async function callIngest(step: Step, workspace: Workspace, route: string, input: object): Promise<Expected> {
  return step.server.call(workspace.ingestKey, `ingest/${route}`, input);
}
const toStart = ({ externalId, ownerEmail, title, startTime, calendarEvent }: Sent) => ({
  externalId,
  ownerEmail,
  title,
  startTime,
  ...(calendarEvent ? { calendarEvent } : {}),
});
function toEnd(sent: Sent) {
  const { ownerEmail, title, startTime, calendarEvent, ...end } = sent;
  return end;
}

function remember(step: Step, owner: User, madeIn: Workspace, sent: Sent, answer: Expected): Meeting {
  const meeting: Meeting = {
    id: findPayload<{ meetingId: string }>(answer)?.meetingId ?? "",
    owner,
    madeIn,
    sent,
    content: toUnfinished(sent),
    state: "recording",
    ended: null,
    completed: 0,
    charged: false,
    tags: new Set(),
    readers: new Set(),
    restored: false,
  };
  step.world.meetings.push(meeting);
  return meeting;
}

const recordingAnswer = ({ id, sent, state }: Meeting, notStored: readonly string[] = []): Expected =>
  ok({
    meetingId: id,
    externalId: sent.externalId,
    state,
    ...(notStored.length > 0 ? { notStored } : {}),
  });

/** Lists the values that an import does not store: different colors of existing tags. */
const listNotStored = (world: World, owner: User, sent: Sent): string[] =>
  sent.tags.some(({ name, color }) =>
    world.tags.some((tag) => tag.owner === owner && tag.name === name && tag.color !== color),
  )
    ? ["tags.color"]
    : [];

/** Completes a meeting in the model: its credit, its content and its tags. */
async function fill({ db, world }: Step, meeting: Meeting): Promise<void> {
  const locked = complete(world, meeting);
  meeting.content = toContent(world, meeting, meeting.sent, await readIds(db, meeting.id), locked);
  await addTags(db, world, meeting);
}

export async function importOne(step: Step) {
  const { random, world } = step;
  const company = random.pick(world.companies);
  const members = world.users.filter(({ workspace }) => workspace === company);
  const owner = (random.chance(0.9) && random.any(members)) || random.pick(world.users);
  const sent = generateMeeting(random, world, owner);
  const answer = await callIngest(step, company, "meetings.import", sent);
  if (owner.workspace !== company) {
    return step.expect("import of a stranger's", answer, stranger);
  }
  const meeting = remember(step, owner, company, sent, answer);
  const notStored = listNotStored(world, owner, sent);
  await fill(step, meeting);
  meeting.ended = "import";
  step.expect("import", answer, recordingAnswer(meeting, notStored));
}

export async function start(step: Step) {
  const { random, world } = step;
  const company = random.pick(world.companies);
  const owner = random.any(world.users.filter(({ workspace }) => workspace === company));
  if (!owner) return;
  const sent = generateMeeting(random, world, owner);
  const answer = await callIngest(step, company, "recordings.start", toStart(sent));
  const meeting = remember(step, owner, company, sent, answer);
  step.expect("start", answer, recordingAnswer(meeting));
}

/** Completes a started or imported recording, once or repeatedly. */
export async function completeOne(step: Step) {
  const { random, world } = step;
  const meeting = random.any(
    world.meetings.filter(
      ({ ended: how, restored }) => !restored && (how !== "import" || random.chance(0.1)),
    ),
  );
  if (!meeting) return;
  const answer = await callIngest(step, meeting.madeIn, "recordings.complete", toEnd(meeting.sent));
  if (meeting.state === "deleted") return step.expect("complete a deleted", answer, gone);
  if (meeting.state === "failed") return step.expect("complete a failed", answer, ended);
  if (meeting.ended === "import") return step.expect("complete an import", answer, conflict);
  let notStored: string[] = [];
  if (meeting.state === "recording") {
    notStored = listNotStored(world, meeting.owner, meeting.sent);
    await fill(step, meeting);
    meeting.ended = "complete";
  }
  step.expect("complete", answer, recordingAnswer(meeting, notStored));
}

export async function fail(step: Step) {
  const { random, world } = step;
  const meeting = random.any(world.meetings);
  if (!meeting) return;
  const reason = random.pick(["no audio", "crashed"]);
  const answer = await callIngest(step, meeting.madeIn, "recordings.fail", { meetingId: meeting.id, reason });
  if (meeting.state === "deleted") return step.expect("fail a deleted", answer, gone);
  if (meeting.state === "recording") {
    meeting.state = "failed";
    meeting.ended = reason;
  }
  step.expect("fail", answer, meeting.ended === reason ? recordingAnswer(meeting) : ended);
}

/** Repeats a call, or sends different content with the same id. */
export async function repeatCall(step: Step) {
  const { random, world } = step;
  const meeting = random.any(world.meetings.filter(({ restored }) => !restored));
  if (!meeting) return;
  const { sent } = meeting;
  const other = random.chance(0.3);
  const whole = meeting.ended === "import" ? random.chance(0.9) : random.chance(0.1);
  const body = whole ? sent : toStart(sent);
  const input = other ? { ...body, title: "Something else" } : body;
  const answer = await callIngest(
    step,
    meeting.madeIn,
    whole ? "meetings.import" : "recordings.start",
    input,
  );
  const same = !other && whole === (meeting.ended === "import");
  const expected = meeting.state === "deleted" ? gone : same ? recordingAnswer(meeting) : conflict;
  step.expect(`repeat ${whole ? "import" : "start"}`, answer, expected);
}

export async function deleteOwn(step: Step) {
  const { random, world } = step;
  const meeting = random.any(listCompleted(world));
  if (!meeting) return;
  const byCompany = meeting.owner.workspace.key !== null && random.chance(0.5);
  if (!["pro", "team", "enterprise"].includes(meeting.owner.workspace.plan)) return;
  const key = byCompany ? meeting.owner.workspace.key : meeting.owner.key;
  const route = `${byCompany ? "workspace" : "me"}/meetings.delete`;
  const answer = await step.server.call(key, route, { meetingId: meeting.id });
  remove(meeting);
  step.expect(
    "delete",
    answer,
    ok({ success: true, message: "Meeting deleted", deletedMeetingId: meeting.id }),
  );
}

/** Sends new content for a completed meeting, with some of its old tasks. */
export async function replaceOne(step: Step) {
  const { random, world, db } = step;
  const meeting = random.any(world.meetings.filter(({ state }) => state !== "deleted"));
  if (!meeting) return;
  const { owner, madeIn } = meeting;
  const before = meeting.content.tasks;
  const sent = generateMeeting(random, world, owner);
  const again = before
    .filter(() => random.chance(0.5))
    .map(({ text }) => ({ text, completed: random.chance(0.3) }));
  const body = { ...sent, externalId: meeting.sent.externalId, tasks: [...again, ...sent.tasks] };
  const answer = await callIngest(step, madeIn, "meetings.import", { ...body, replace: true });
  if (owner.workspace !== madeIn) return step.expect("replace a stranger's", answer, stranger);
  if (meeting.state !== "completed") return step.expect("replace an unfinished", answer, conflict);
  const names = new Map([...meeting.tags].map(({ name, color }) => [name, color]));
  const notStored = [
    ...(body.tags.some(({ name }) => !names.has(name)) ? ["tags"] : []),
    ...(body.tags.some(({ name, color }) => names.has(name) && names.get(name) !== color)
      ? ["tags.color"]
      : []),
  ];
  const locked = locksReplaced(meeting, body);
  const content = toContent(world, meeting, body, await readIds(db, meeting.id), locked);
  const { tasks, reopened } = keepTasks(before, content.tasks);
  meeting.content = { ...content, tasks };
  Object.assign(meeting, { sent: body, ended: "import" });
  step.expect(
    "replace",
    answer,
    recordingAnswer(meeting, reopened ? [...notStored, "tasks.completed"] : notStored),
  );
}

/** Gives sent tasks the state of the old ones: each takes the first with its text. */
function keepTasks(before: readonly Task[], sent: readonly Task[]): { tasks: Task[]; reopened: boolean } {
  const left = [...before];
  let reopened = false;
  const tasks = sent.map((task) => {
    const at = left.findIndex(({ text }) => text === task.text);
    const [known] = at < 0 ? [] : left.splice(at, 1);
    if (!known) return task;
    if (known.id !== task.id) throw new Error(`The task ${task.text} has another ID after a replacement.`);
    reopened ||= task.completed && !known.completed;
    return { ...task, completed: known.completed };
  });
  return { tasks, reopened };
}

/** Restores a deleted meeting with a new ID. */
export async function restoreOne(step: Step) {
  const { random, world } = step;
  const deleted = random.any(
    world.meetings.filter(({ state, restored }) => state === "deleted" && !restored),
  );
  if (!deleted) return;
  const { owner, madeIn } = deleted;
  const sent = generateMeeting(random, world, owner);
  const body = { ...sent, externalId: deleted.sent.externalId };
  const answer = await callIngest(step, madeIn, "meetings.import", { ...body, restore: true });
  if (owner.workspace !== madeIn) return step.expect("restore a stranger's", answer, stranger);
  const meeting = remember(step, owner, madeIn, body, answer);
  // The deleted meeting's credit becomes the restored one's.
  meeting.charged = deleted.charged;
  Object.assign(deleted, { charged: false, restored: true });
  const notStored = listNotStored(world, owner, body);
  await fill(step, meeting);
  meeting.ended = "import";
  step.expect("restore", answer, recordingAnswer(meeting, notStored));
}

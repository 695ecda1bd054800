import { findPayload } from "../call.js";
import { type Expected, ok, refuse } from "./answers.js";
import { generateMeeting, readGenerated } from "./populate.js";
import { complete, listCompleted, remove } from "./rules.js";
import type { Step } from "./step.js";
import type { Meeting, Sent, User, Workspace } from "./world.js";

const conflict = refuse(409, "A different meeting with this externalId exists.");
const gone = refuse(409, "A meeting with this externalId was deleted and is not imported again.");
const ended = refuse(409, "This recording has ended already, in another way.");

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

function remember(
  step: Step,
  owner: User,
  madeIn: Workspace,
  sent: Sent,
  word: string,
  answer: Expected,
): Meeting {
  const meeting: Meeting = {
    id: findPayload<{ meetingId: string }>(answer)?.meetingId ?? "",
    owner,
    madeIn,
    sent,
    word,
    state: "recording",
    ended: null,
    completed: 0,
    calendarEventId: null,
    locked: false,
    charged: false,
    tasks: [],
    tags: new Set(),
    readers: new Set(),
  };
  step.world.meetings.push(meeting);
  return meeting;
}

const recordingAnswer = ({ id, sent, state }: Meeting): Expected =>
  ok({ meetingId: id, externalId: sent.externalId, state });

export async function importOne(step: Step) {
  const { random, world } = step;
  const company = random.pick(world.companies);
  const owner = random.pick(world.users);
  const { sent, word } = generateMeeting(random, owner);
  const answer = await callIngest(step, company, "meetings.import", sent);
  if (owner.workspace !== company) {
    return step.expect(
      "import of a stranger's",
      answer,
      refuse(404, "No member of this workspace has this e-mail address."),
    );
  }
  const meeting = remember(step, owner, company, sent, word, answer);
  complete(world, meeting);
  meeting.ended = "import";
  step.expect("import", answer, recordingAnswer(meeting));
  await readGenerated(step.db, world, meeting);
}

export async function start(step: Step) {
  const { random, world } = step;
  const company = random.pick(world.companies);
  const owner = random.any(world.users.filter(({ workspace }) => workspace === company));
  if (!owner) return;
  const { sent, word } = generateMeeting(random, owner);
  const answer = await callIngest(step, company, "recordings.start", toStart(sent));
  const meeting = remember(step, owner, company, sent, word, answer);
  step.expect("start", answer, recordingAnswer(meeting));
}

/** Completes what was started, once or again, or what came whole. */
export async function completeOne(step: Step) {
  const { random, world } = step;
  const meeting = random.any(
    world.meetings.filter(({ ended: how }) => how !== "import" || random.chance(0.1)),
  );
  if (!meeting) return;
  const answer = await callIngest(step, meeting.madeIn, "recordings.complete", toEnd(meeting.sent));
  if (meeting.state === "deleted") return step.expect("complete a deleted", answer, gone);
  if (meeting.state === "failed") return step.expect("complete a failed", answer, ended);
  if (meeting.ended === "import") return step.expect("complete an import", answer, conflict);
  if (meeting.state === "recording") {
    complete(world, meeting);
    meeting.ended = "complete";
    await readGenerated(step.db, world, meeting);
  }
  step.expect("complete", answer, recordingAnswer(meeting));
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

/** Repeats a call, or sends something else under the same id. */
export async function repeatCall(step: Step) {
  const { random, world } = step;
  const meeting = random.any(world.meetings);
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

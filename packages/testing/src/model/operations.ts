import { joinWorkspace, leaveWorkspace, OPERATOR, setEmail, setPlan, setRole } from "@minutes/core";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { TestServer } from "../server.js";
import { type Expected, ok, refused } from "./answers.js";
import { learn, learnTag, randomMeeting, TAGS } from "./populate.js";
import type { Random } from "./random.js";
import { complete, completed, isLastAdmin, move, remove, unlock } from "./rules.js";
import type { Meeting, Sent, User, Workspace, World } from "./world.js";

/** Everything a step needs. `expect` fails the test with what was done and where the answers part. */
export interface Step {
  readonly server: TestServer;
  readonly db: Database;
  readonly world: World;
  readonly random: Random;
  readonly expect: (what: string, answered: Expected, expected: Expected) => void;
}

const done = ok({ success: true });
const conflict = refused(409, "A different meeting with this externalId exists.");
const gone = refused(409, "A meeting with this externalId was deleted and is not imported again.");
const ended = refused(409, "This recording has ended already, in another way.");

async function ingest(step: Step, workspace: Workspace, route: string, input: object): Promise<Expected> {
  return step.server.call(workspace.ingestKey, `ingest/${route}`, input);
}
const bodyOf = (answer: Expected) =>
  (answer.body as { result?: { data: { json: { meetingId: string } } } }).result;

const startOf = ({ externalId, ownerEmail, title, startTime, calendarEvent }: Sent) => ({
  externalId,
  ownerEmail,
  title,
  startTime,
  ...(calendarEvent ? { calendarEvent } : {}),
});
function endOf(sent: Sent) {
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
    id: bodyOf(answer)?.data.json.meetingId ?? "",
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

async function importOne(step: Step) {
  const { random, world } = step;
  const company = random.pick(world.companies);
  const owner = random.pick(world.users);
  const { sent, word } = randomMeeting(random, owner);
  const answer = await ingest(step, company, "meetings.import", sent);
  if (owner.workspace !== company) {
    return step.expect(
      "import of a stranger's",
      answer,
      refused(404, "No member of this workspace has this e-mail address."),
    );
  }
  const meeting = remember(step, owner, company, sent, word, answer);
  complete(world, meeting);
  meeting.ended = "import";
  step.expect("import", answer, recordingAnswer(meeting));
  await learn(step.db, world, meeting);
}

async function start(step: Step) {
  const { random, world } = step;
  const company = random.pick(world.companies);
  const owner = random.any(world.users.filter(({ workspace }) => workspace === company));
  if (!owner) return;
  const { sent, word } = randomMeeting(random, owner);
  const answer = await ingest(step, company, "recordings.start", startOf(sent));
  const meeting = remember(step, owner, company, sent, word, answer);
  step.expect("start", answer, recordingAnswer(meeting));
}

/** Completes what was started, once or again, or what came whole. */
async function completeOne(step: Step) {
  const { random, world } = step;
  const meeting = random.any(
    world.meetings.filter(({ ended: how }) => how !== "import" || random.chance(0.1)),
  );
  if (!meeting) return;
  const answer = await ingest(step, meeting.madeIn, "recordings.complete", endOf(meeting.sent));
  if (meeting.state === "deleted") return step.expect("complete a deleted", answer, gone);
  if (meeting.state === "failed") return step.expect("complete a failed", answer, ended);
  if (meeting.ended === "import") return step.expect("complete an import", answer, conflict);
  if (meeting.state === "recording") {
    complete(world, meeting);
    meeting.ended = "complete";
    await learn(step.db, world, meeting);
  }
  step.expect("complete", answer, recordingAnswer(meeting));
}

async function fail(step: Step) {
  const { random, world } = step;
  const meeting = random.any(world.meetings);
  if (!meeting) return;
  const reason = random.pick(["no audio", "crashed"]);
  const answer = await ingest(step, meeting.madeIn, "recordings.fail", { meetingId: meeting.id, reason });
  if (meeting.state === "deleted") return step.expect("fail a deleted", answer, gone);
  if (meeting.state === "recording") {
    meeting.state = "failed";
    meeting.ended = reason;
  }
  step.expect("fail", answer, meeting.ended === reason ? recordingAnswer(meeting) : ended);
}

/** The same again, or something else under the same id. */
async function repeat(step: Step) {
  const { random, world } = step;
  const meeting = random.any(world.meetings);
  if (!meeting) return;
  const { sent } = meeting;
  const other = random.chance(0.3);
  const whole = meeting.ended === "import" ? random.chance(0.9) : random.chance(0.1);
  const body = whole ? sent : startOf(sent);
  const input = other ? { ...body, title: "Something else" } : body;
  const answer = await ingest(step, meeting.madeIn, whole ? "meetings.import" : "recordings.start", input);
  const same = !other && whole === (meeting.ended === "import");
  const expected = meeting.state === "deleted" ? gone : same ? recordingAnswer(meeting) : conflict;
  step.expect(`repeat ${whole ? "import" : "start"}`, answer, expected);
}

async function deleteOwn(step: Step) {
  const { random, world } = step;
  const meeting = random.any(completed(world));
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

const settings = (step: Step, user: User, route: string, input: object): Promise<Expected> =>
  step.server.call(user.token, `settings/${route}`, input);
const unknownUser = refused(404, "No user has this e-mail address.");

/** Somebody shares, or takes back, a meeting that may be his, with somebody who may be his colleague. */
async function shareMeeting(step: Step) {
  const { random, world } = step;
  const meeting = random.any(world.meetings);
  if (!meeting) return;
  const { user, reader } = pair(step, meeting.owner);
  const take = random.chance(0.3);
  const input = { meetingId: meeting.id, email: reader.email };
  const answer = await settings(step, user, take ? "meetings.unshare" : "meetings.share", input);
  const expected = (): Expected => {
    if (reader.workspace !== user.workspace) return unknownUser;
    if (meeting.state !== "completed") return refused(404, "Meeting not found");
    if (meeting.owner !== user) return refused(403, "Access denied. You do not have access to this meeting.");
    if (!take && reader === user) return refused(409, "A share is with somebody else than the owner.");
    if (take) meeting.readers.delete(reader);
    else meeting.readers.add(reader);
    return done;
  };
  step.expect(take ? "unshare a meeting" : "share a meeting", answer, expected());
}

/** Mostly the owner and a colleague of his; sometimes anybody. */
function pair({ random, world }: Step, owner: User): { user: User; reader: User } {
  const user = random.chance(0.85) ? owner : random.pick(world.users);
  const colleagues = world.users.filter((other) => other !== user && other.workspace === user.workspace);
  const reader = (random.chance(0.85) ? random.any(colleagues) : null) ?? random.pick(world.users);
  return { user, reader };
}

async function shareTag(step: Step) {
  const { random, world } = step;
  const tag = random.any(world.tags);
  if (!tag) return;
  const { user, reader } = pair(step, tag.owner);
  const take = random.chance(0.3);
  const input = { tagId: tag.id, email: reader.email };
  const answer = await settings(step, user, take ? "tags.unshare" : "tags.share", input);
  const expected = (): Expected => {
    if (reader.workspace !== user.workspace) return unknownUser;
    if (tag.owner !== user) return refused(404, "No such tag.");
    if (!take && reader === user) return refused(409, "A share is with somebody else than the owner.");
    if (take) tag.readers.delete(reader);
    else tag.readers.add(reader);
    return done;
  };
  step.expect(take ? "unshare a tag" : "share a tag", answer, expected());
}

async function tagMeeting(step: Step) {
  const { random, world, db } = step;
  const meeting = random.any(world.meetings);
  if (!meeting) return;
  const user = random.chance(0.85) ? meeting.owner : random.pick(world.users);
  const tag = random.chance(0.4) ? random.any([...meeting.tags]) : null;
  const name = random.pick(TAGS);
  const answer = tag
    ? await settings(step, user, "meetings.untag", { meetingId: meeting.id, tagId: tag.id })
    : await settings(step, user, "meetings.tag", { meetingId: meeting.id, name });
  if (meeting.state !== "completed") return step.expect("tag", answer, refused(404, "Meeting not found"));
  if (meeting.owner !== user) {
    return step.expect("tag", answer, refused(403, "Access denied. You do not have access to this meeting."));
  }
  step.expect("tag", answer, done);
  if (tag) meeting.tags.delete(tag);
  else meeting.tags.add(await learnTag(db, world, user, name));
}

async function deleteTag(step: Step) {
  const { random, world } = step;
  const tag = random.any(world.tags);
  if (!tag) return;
  const user = random.chance(0.8) ? tag.owner : random.pick(world.users);
  const answer = await settings(step, user, "tags.delete", { tagId: tag.id });
  if (user !== tag.owner) return step.expect("delete a tag", answer, refused(404, "No such tag."));
  step.expect("delete a tag", answer, done);
  world.tags = world.tags.filter((other) => other !== tag);
  for (const meeting of world.meetings) meeting.tags.delete(tag);
}

const refusal = async (work: Promise<unknown>): Promise<Expected> =>
  work.then(
    () => done,
    (error: Error) => refused(409, error.message),
  );
const lastAdmin = refused(
  409,
  "This is the only admin of the workspace. Make another member an admin first.",
);

async function join(step: Step) {
  const { random, world, db } = step;
  const [user, company] = [random.pick(world.users), random.pick(world.companies)];
  const role = random.pick(["admin", "member"] as const);
  const stays = user.workspace === company && (role === "admin" || user.role === "member");
  const refuses = !stays && isLastAdmin(world, user);
  const answer = await refusal(joinWorkspace(db, OPERATOR, user.id, company.id, role));
  step.expect("join", answer, refuses ? lastAdmin : done);
  if (!refuses) move(world, user, company, role);
}

async function leave(step: Step) {
  const { random, world, db } = step;
  const user = random.pick(world.users);
  const refuses = isLastAdmin(world, user);
  const answer = random.chance(0.5)
    ? await settings(step, user, "members.remove", { userId: user.id })
    : await refusal(leaveWorkspace(db, OPERATOR, user.id));
  step.expect("leave", answer, refuses ? lastAdmin : done);
  if (refuses) return;
  const { members, workspaces } = schema;
  const [place] = await db
    .select({ id: workspaces.id, plan: workspaces.plan, ownerId: workspaces.ownerId })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(members.userId, user.id));
  if (!place || place.ownerId !== user.id || place.id === user.workspace.id) {
    throw new Error("Leaving did not lead to another workspace of the user's own.");
  }
  const own = { id: place.id, plan: place.plan as Workspace["plan"], key: null, ingestKey: null };
  move(world, user, own, "admin");
}

async function role(step: Step) {
  const { random, world, db } = step;
  const [actor, user] = [random.pick(world.users), random.pick(world.users)];
  const to = random.pick(["admin", "member"] as const);
  if (random.chance(0.3)) {
    const refuses = to === "member" && isLastAdmin(world, user);
    step.expect("set a role", await refusal(setRole(db, OPERATOR, user.id, to)), refuses ? lastAdmin : done);
    if (!refuses) user.role = to;
    return;
  }
  const answer = await settings(step, actor, "members.setRole", { userId: user.id, role: to });
  if (actor.workspace !== user.workspace) {
    return step.expect("set a role", answer, refused(404, "No such member."));
  }
  if (actor.role !== "admin") {
    return step.expect("set a role", answer, refused(403, "Only a workspace admin can do this."));
  }
  const refuses = to === "member" && isLastAdmin(world, user);
  step.expect("set a role", answer, refuses ? lastAdmin : done);
  if (!refuses) user.role = to;
}

/** Mostly plans with API access: without, there is little to see. */
async function plan(step: Step) {
  const { random, world, db } = step;
  const workspace = random.chance(0.7) ? random.pick(world.companies) : random.pick(world.users).workspace;
  const to = random.pick(["free", "plus", "pro", "pro", "team", "team", "enterprise"] as const);
  await setPlan(db, OPERATOR, workspace.id, to);
  workspace.plan = to;
  for (const user of world.users) if (user.workspace === workspace) unlock(world, user);
}

async function email(step: Step) {
  const { random, world, db } = step;
  const user = random.pick(world.users);
  const to = `${user.name.toLowerCase()}-${random.int(1_000_000_000)}-${process.pid}@example.com`;
  await setEmail(db, OPERATOR, user.id, to);
  user.email = to;
}

const OPERATIONS = [
  { weight: 10, run: importOne },
  { weight: 4, run: start },
  { weight: 6, run: completeOne },
  { weight: 2, run: fail },
  { weight: 3, run: repeat },
  { weight: 10, run: shareMeeting },
  { weight: 6, run: shareTag },
  { weight: 8, run: tagMeeting },
  { weight: 2, run: deleteTag },
  { weight: 4, run: join },
  { weight: 2, run: leave },
  { weight: 3, run: role },
  { weight: 4, run: plan },
  { weight: 1, run: email },
];
const DRAW = OPERATIONS.flatMap(({ weight, run }) => Array.from({ length: weight }, () => run));
/** More meetings than this make every look dearer and find nothing more. */
const MEETINGS = 30;

/** Does something random, in the service and in the model, and compares the answer. */
export async function operate(step: Step): Promise<string> {
  const crowded = completed(step.world).length > MEETINGS;
  const run = crowded || step.random.chance(0.08) ? deleteOwn : step.random.pick(DRAW);
  await run(step);
  return run.name;
}

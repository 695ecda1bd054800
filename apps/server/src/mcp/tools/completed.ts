import {
  assignSpeaker,
  createTask,
  getCaller,
  getMeeting,
  getPerson,
  getTask,
  LIMITS,
  listMyMeetings,
  listPeople,
  listSpeakers,
  listTags,
  listUpcoming,
  MESSAGES,
  type MeetingDetail,
  type MeetingSpeakers,
  type PersonDetail,
  type Preparation,
  prepareEvent,
  type TagList,
  type TaskWithDue,
  updateMeetingTags,
  updateMeetingTask,
} from "@minutes/contract";
import { ApiError, isPlaceholder } from "@minutes/core";
import type { Arguments, ToolHelp } from "./definition.js";
import { describeNobody } from "./similar-names.js";
import { addNote, describeUnknownTag, noteTag } from "./size.js";

/** Calls a declared tool, and adds to its answer what a model needs to know. */
type Complete = (call: () => Promise<Arguments>, args: Arguments, help: ToolHelp) => Promise<Arguments>;

const UNREAD = "Stored, but not read again.";

/** Reads what a call stored; null if that fails: an error would look as if nothing were stored. */
const readStored = async <Stored>(reading: Promise<unknown>): Promise<Stored | null> =>
  reading.then(
    (stored) => stored as Stored,
    () => null,
  );

/** Adds the stored assignee and due date: a name alone can reach nobody. */
const addStoredTask: Complete = async (call, args, { run }) => {
  const edited = await call();
  const stored = await readStored<TaskWithDue>(run({ taskId: edited.taskId }, getTask.name));
  if (!stored) return addNote(edited, `${UNREAD} list_tasks shows its assignee.`);
  const { assignee, due } = stored;
  const isNobody = args.assignee !== undefined && assignee !== null && assignee.id === null;
  return addNote({ ...edited, assignee, due }, isNobody ? await describeNobody({ run }, assignee.name) : "");
};

/** Adds the meeting's tags, and says which ones the call created: a name can be that of another person's tag. */
const addTags: Complete = async (call, args, { run }) => {
  const { tags: known } = (await run({}, listTags.name)) as TagList;
  const listNames = (shared: boolean) =>
    new Set(known.filter((tag) => tag.shared === shared).map(({ name }) => name));
  const [own, others] = [listNames(false), listNames(true)];
  const findUnknown = (names: unknown) =>
    [...new Set(((names ?? []) as readonly string[]).map((name) => name.trim()))].filter(
      (name) => !own.has(name),
    );
  const answer = await call().catch((error: unknown) => {
    const isUnknown = error instanceof ApiError && error.message === MESSAGES.tagNotFound;
    const [unknown] = isUnknown ? findUnknown(args.remove) : [];
    throw unknown === undefined ? error : new ApiError("NOT_FOUND", describeUnknownTag(own, unknown));
  });
  const stored = await readStored<MeetingDetail>(run({ meetingId: args.meetingId }, getMeeting.name));
  if (!stored) return addNote(answer, `${UNREAD} get_meeting shows its tags.`);
  const created = findUnknown(args.add);
  const twins = created.filter((name) => others.has(name));
  const notes = [
    created.length > 0 && `Created tags of the user: ${created.join(", ")}.`,
    twins.length > 0 &&
      `Another person shared a tag of the same name with them; that tag is not on the meeting.`,
  ];
  const named = { ...answer, tags: stored.tags.map(({ name }) => name), created };
  return addNote(named, notes.filter(Boolean).join(" "));
};

/** Adds the speaker's person. A name alone creates a new person, without an account or other meetings. */
const addSpeaker: Complete = async (call, args, { run }) => {
  const edited = await call();
  const stored = await readStored<MeetingSpeakers>(run({ meetingId: args.meetingId }, listSpeakers.name));
  const speaker = stored?.speakers.find(({ speakerLabel }) => speakerLabel === edited.speakerLabel);
  if (!speaker) return addNote(edited, `${UNREAD} list_speakers shows the speaker.`);
  const { personId, name, email } = speaker;
  const isNew = args.personId === undefined && email === null;
  const note = "A new person, known only by this name. For an existing person, give personId or email.";
  return addNote({ ...edited, personId, name, email }, isNew ? note : "");
};

/** Adds the current time, so that a model can resolve “last week”. */
const addTime: Complete = async (call) => ({ ...(await call()), now: new Date().toISOString() });

const noteNoEvent: Complete = async (call) => {
  const answer = await call();
  if ((answer.events as readonly unknown[]).length > 0) return answer;
  const none = `No event in the next ${LIMITS.calendarDaysAhead} days.`;
  return addNote(
    answer,
    answer.connected
      ? none
      : "No calendar is connected: the user connects one in the console, under Account.",
  );
};

const notePreparation: Complete = async (call) => {
  const answer = await call();
  const { meetings, tasks } = answer as unknown as Preparation;
  if (meetings.length === 0)
    return addNote(
      answer,
      "Nothing was found in own and shared meetings of the last year, of this series or with these e-mail addresses. People known only by name are found with find_meetings.",
    );
  const isCut = tasks.length === LIMITS.preparedTasks;
  return addNote(answer, isCut ? "There can be more open tasks: use list_tasks with meetingId." : "");
};

const noteEarlierMeetings: Complete = async (call) => {
  const answer = await call();
  const { meetings, recentMeetings } = answer as unknown as PersonDetail;
  const isCut = meetings > recentMeetings.length && answer.note === undefined;
  return addNote(answer, isCut ? `${recentMeetings.length} of ${meetings} meetings, the latest.` : "");
};

/** Says where speakers are who are in no list of people, such as “Speaker 2”. */
const noteUnnamed: Complete = async (call, { name }) => {
  const answer = await call();
  const isHidden = (answer.people as readonly unknown[]).length === 0 && isPlaceholder(String(name));
  return addNote(answer, isHidden ? "Speakers without a name are listed by list_speakers, by meeting." : "");
};

const noteFilter: Complete = async (call, args, help) => addNote(await call(), await noteTag(help, args));

/** What the answers of declared tools lack, by the tool's name. */
export const COMPLETIONS: ReadonlyMap<string | undefined, Complete> = new Map([
  [getCaller.tool?.name, addTime],
  [assignSpeaker.tool?.name, addSpeaker],
  [createTask.tool?.name, addStoredTask],
  [updateMeetingTask.tool?.name, addStoredTask],
  [updateMeetingTags.tool?.name, addTags],
  [listUpcoming.tool?.name, noteNoEvent],
  [prepareEvent.tool?.name, notePreparation],
  [getPerson.tool?.name, noteEarlierMeetings],
  [listPeople.tool?.name, noteUnnamed],
  [listMyMeetings.tool?.name, noteFilter],
]);

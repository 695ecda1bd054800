import { toAssignee, toSpeaker } from "./people.js";
import {
  API_PLANS,
  canRead,
  compare,
  compareByCreation,
  compareByStart,
  isInWorkspace,
  listCompleted,
} from "./rules.js";
import type { Meeting, Task, User, Workspace, World } from "./world.js";

/** The expected answer of a call: status and complete body. */
export interface Expected {
  readonly status: number;
  readonly body: unknown;
}

export const ok = (payload: unknown): Expected => ({
  status: 200,
  body: { result: { data: { json: payload } } },
});
export const refuse = (status: number, error: string): Expected => ({ status, body: { error } });

/** The caller: a user with a personal key, or a workspace. */
export type Caller = { readonly user: User } | { readonly workspace: Workspace };

export const isUser = (caller: Caller): caller is Extract<Caller, { user: User }> => "user" in caller;
export const getKey = (caller: Caller): string | null =>
  isUser(caller) ? caller.user.key : caller.workspace.key;
const getPlan = (caller: Caller) => (isUser(caller) ? caller.user.workspace : caller.workspace).plan;

const canSee = (caller: Caller, meeting: Meeting): boolean =>
  isUser(caller) ? canRead(caller.user, meeting) : isInWorkspace(caller.workspace, meeting);
const canWrite = (caller: Caller, meeting: Meeting): boolean =>
  isUser(caller) ? meeting.owner === caller.user : isInWorkspace(caller.workspace, meeting);

/** Answers a caller whose plan has API access, and refuses any other. */
const answerIfAdmitted = (caller: Caller, answer: () => Expected): Expected =>
  API_PLANS.includes(getPlan(caller))
    ? answer()
    : refuse(403, "API access requires a Pro, Team or Enterprise plan.");

export interface ListInput {
  limit?: number;
  cursor?: string;
  startDate?: string;
  endDate?: string;
  tag?: string;
  userEmail?: string;
  completed?: boolean;
  meetingId?: string;
}

/** Returns true if a time is in a range. A day means its first instant as a start and its last as an end. */
const isInRange = (time: string, { startDate, endDate }: ListInput): boolean =>
  (startDate === undefined || time >= (startDate.length === 10 ? `${startDate}T00:00:00.000Z` : startDate)) &&
  (endDate === undefined || time <= (endDate.length === 10 ? `${endDate}T23:59:59.999Z` : endDate));

export const listMeetings = (world: World, caller: Caller, input: ListInput): Expected =>
  answerIfAdmitted(caller, () => {
    const [time, id] = input.cursor?.split("::") ?? [];
    const after = listCompleted(world)
      .filter((meeting) => canSee(caller, meeting))
      .filter(({ sent }) => isInRange(sent.startTime, input))
      .filter(({ owner }) => input.userEmail === undefined || owner.email === input.userEmail.toLowerCase())
      .filter(
        ({ tags }) =>
          input.tag === undefined ||
          [...tags].some(
            (tag) =>
              isUser(caller) &&
              tag.name === input.tag &&
              (tag.owner === caller.user || tag.readers.has(caller.user)),
          ),
      )
      .sort(compareByStart)
      .filter(
        ({ sent, id: own }) =>
          time === undefined ||
          id === undefined ||
          compare(sent.startTime, time) < 0 ||
          (sent.startTime === time && compare(own, id) < 0),
      );
    const page = after.slice(0, input.limit ?? 50);
    const last = page.at(-1);
    return ok({
      meetings: page.map(({ id, owner, sent, calendarEventId }) => ({
        id,
        title: sent.title,
        generatedTitle: sent.generatedTitle ?? null,
        startTime: sent.startTime,
        endTime: sent.endTime,
        calendarEventId,
        userId: owner.id,
      })),
      nextCursor: last && after.length > page.length ? `${last.sent.startTime}::${last.id}` : null,
    });
  });

export const getMeeting = (world: World, caller: Caller, meetingId: string): Expected =>
  answerIfAdmitted(caller, () => {
    const meeting = listCompleted(world).find(({ id }) => id === meetingId);
    if (!meeting) return refuse(404, "Meeting not found");
    if (!canSee(caller, meeting))
      return refuse(403, "Access denied. You do not have access to this meeting.");
    return ok(toDetail(meeting));
  });

function toDetail(meeting: Meeting) {
  const { id, owner, sent, tasks, tags, calendarEventId } = meeting;
  const speakers = [...new Set(sent.transcript.map(({ speakerId }) => speakerId))];
  const { calendarEvent: event } = sent;
  return {
    id,
    title: sent.title,
    generatedTitle: sent.generatedTitle ?? null,
    startTime: sent.startTime,
    endTime: sent.endTime,
    user: { id: owner.id, email: owner.email },
    summary: summary(meeting),
    transcript: sent.transcript.map(({ speakerName, text }) => `**${speakerName}**: ${text}`).join("\n\n"),
    participants: speakers.map((speaker) => {
      const turns = sent.transcript.filter(({ speakerId }) => speakerId === speaker);
      const email = turns.map(({ speakerEmail }) => speakerEmail).find(Boolean);
      return {
        id: toSpeaker(meeting, speaker),
        name: turns[0]?.speakerName,
        email: email?.toLowerCase() ?? null,
      };
    }),
    tasks: tasks.map(({ text, completed: done, assignee }) => ({
      content: text,
      completed: done,
      assignee: assignee && { name: assignee.name, email: assignee.email },
    })),
    tags: [...tags]
      .sort((one, other) => compare(one.name, other.name))
      .map(({ name, color }) => ({ name, color })),
    event: {
      id: calendarEventId,
      externalId: event?.externalId ?? null,
      title: event?.title ?? sent.title,
      scheduledTime: event?.scheduledTime ?? sent.startTime,
      endTime: sent.endTime,
      attendees: (event?.attendees ?? []).map((attendee) => ({
        ...attendee,
        email: attendee.email.toLowerCase(),
        responseStatus: null,
      })),
    },
  };
}

/**
 * Builds a summary. The model's summaries are one paragraph with one bold word, so their HTML is known without a
 * renderer.
 */
function summary({ sent, locked }: Meeting) {
  if (locked || !sent.summary) return { markdown: "", html: "", short: "" };
  const { markdown, short } = sent.summary;
  return {
    markdown,
    html: `<p>${markdown.replace(/\*\*(.*)\*\*/, "<strong>$1</strong>")}</p>`,
    short: short ?? markdown.replaceAll("**", ""),
  };
}

export const listTasks = (world: World, caller: Caller, input: ListInput): Expected =>
  answerIfAdmitted(caller, () => {
    const [time, id] = input.cursor?.split("::") ?? [];
    const after = listCompleted(world)
      .filter((meeting) => canSee(caller, meeting))
      .filter(({ owner }) => input.userEmail === undefined || owner.email === input.userEmail.toLowerCase())
      .flatMap(({ tasks }) => tasks)
      .filter((task) => input.meetingId === undefined || task.meeting.id === input.meetingId)
      .filter((task) => input.completed === undefined || task.completed === input.completed)
      .filter(({ createdAt }) => isInRange(createdAt, input))
      .sort(compareByCreation)
      .filter(
        (task) =>
          time === undefined ||
          compare(task.createdAt, time) < 0 ||
          (id !== undefined && task.createdAt === time && compare(task.id, id) < 0),
      );
    const page = after.slice(0, input.limit ?? 50);
    const [last, next] = [page.at(-1), after[page.length]];
    const cursor =
      last && next && (next.createdAt === last.createdAt ? `${last.createdAt}::${last.id}` : last.createdAt);
    return ok({ tasks: page.map(toTaskItem), nextCursor: cursor ?? null });
  });

const toTaskItem = ({ id, text, completed: done, assignee, meeting, createdAt }: Task) => ({
  id,
  text,
  completed: done,
  assignee: assignee && {
    id: toAssignee(meeting, assignee),
    name: assignee.name,
    email: assignee.email,
  },
  meetingId: meeting.id,
  meetingTitle: meeting.sent.title,
  createdAt,
  userId: meeting.owner.id,
});

/** Lists a user's tags. Workspace keys have no such route. */
export const listTags = (world: World, user: User): Expected =>
  answerIfAdmitted({ user }, () =>
    ok({
      tags: world.tags
        .filter((tag) => tag.owner === user || tag.readers.has(user))
        .sort((one, other) => compare(one.name, other.name) || compare(one.id, other.id))
        .map((tag) => ({ id: tag.id, name: tag.name, shared: tag.owner !== user })),
    }),
  );

/** Answers a deletion. @returns the answer, and the deleted meeting */
export function deleteMeeting(
  world: World,
  caller: Caller,
  meetingId: string,
): Expected & { gone?: Meeting } {
  let gone: Meeting | undefined;
  const answer = answerIfAdmitted(caller, () => {
    const meeting = listCompleted(world).find(({ id }) => id === meetingId);
    if (!meeting) return refuse(404, "Meeting not found");
    if (!canWrite(caller, meeting)) {
      return refuse(
        403,
        isUser(caller)
          ? "Access denied. You can only delete your own meetings."
          : "Access denied. This meeting does not belong to your workspace.",
      );
    }
    gone = meeting;
    return ok({ success: true, message: "Meeting deleted", deletedMeetingId: meetingId });
  });
  return gone ? { ...answer, gone } : answer;
}

/** Answers a task update. @returns the answer, and the changed task */
export function updateTask(
  world: World,
  caller: Caller,
  input: { taskId: string; text?: string; completed?: boolean },
): Expected & { task?: Task } {
  let task: Task | undefined;
  const answer = answerIfAdmitted(caller, () => {
    task = listCompleted(world)
      .filter((meeting) => canWrite(caller, meeting))
      .flatMap(({ tasks }) => tasks)
      .find(({ id }) => id === input.taskId);
    return task ? ok(input) : refuse(404, "Task not found or not writable");
  });
  return task ? { ...answer, task } : answer;
}

export interface SearchInput {
  query: string;
  startDate?: string;
  endDate?: string;
}

/** Lists the meetings a search can find. */
export const listSearchable = (
  world: World,
  user: User,
  input: SearchInput,
  sixMonthsAgo: string,
): Meeting[] =>
  listCompleted(world).filter(
    (meeting) =>
      canRead(user, meeting) &&
      isInRange(
        meeting.sent.startTime,
        input.startDate === undefined && input.endDate === undefined ? { startDate: sixMonthsAgo } : input,
      ),
  );

/** Refuses a search by a user whose plan has no API access; null for others. */
export function refuseSearch(user: User): Expected | null {
  const answer = answerIfAdmitted({ user }, () => ok(null));
  return answer.status === 200 ? null : answer;
}

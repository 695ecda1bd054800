import {
  answerIfAdmitted,
  type Caller,
  canSee,
  canWrite,
  type Expected,
  isInRange,
  type ListInput,
  ok,
  refuse,
} from "./answers.js";
import { compare } from "./compare.js";
import { compareByCreation, listCompleted } from "./rules.js";
import type { Meeting, Task, World } from "./world.js";

interface PlacedTask extends Task {
  readonly meeting: Meeting;
}

/** Lists the tasks of a meeting. */
export const listTasksOf = (meeting: Meeting): PlacedTask[] =>
  meeting.content.tasks.map((task) => ({ ...task, meeting }));

export const listTasks = (world: World, caller: Caller, input: ListInput): Expected =>
  answerIfAdmitted(caller, () => {
    const [time, id] = input.cursor?.split("::") ?? [];
    const after = listCompleted(world)
      .filter((meeting) => canSee(caller, meeting))
      .filter(({ owner }) => input.userEmail === undefined || owner.email === input.userEmail.toLowerCase())
      .flatMap(listTasksOf)
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

export const toTaskItem = ({ id, text, completed: done, assignee, meeting, createdAt }: PlacedTask) => ({
  id,
  text,
  completed: done,
  assignee: assignee && {
    id: assignee.person,
    name: assignee.name,
    email: assignee.email,
  },
  meetingId: meeting.id,
  meetingTitle: meeting.content.title,
  createdAt,
  userId: meeting.owner.id,
});

/** Answers a task update. @returns the answer, and the task and its meeting if they change */
export function updateTask(
  world: World,
  caller: Caller,
  input: { taskId: string; text?: string; completed?: boolean },
): Expected & { task?: PlacedTask } {
  let task: PlacedTask | undefined;
  const answer = answerIfAdmitted(caller, () => {
    task = listCompleted(world)
      .filter((meeting) => canWrite(caller, meeting))
      .flatMap(listTasksOf)
      .find(({ id }) => id === input.taskId);
    return task ? ok(input) : refuse(404, "Task not found or not writable");
  });
  return task ? { ...answer, task } : answer;
}

import { z } from "zod";
import { TaskCursor } from "./cursors.js";
import { EndDate, StartDate } from "./instants.js";
import { LIMITS } from "./limits.js";
import { Page, UserEmail } from "./meetings.js";
import { Id, trimmedText } from "./text.js";

const listFields = {
  ...Page,
  cursor: TaskCursor.optional().describe("`nextCursor` of the page before; opaque."),
  startDate: StartDate.optional().describe(
    "Only tasks created on or after this ISO 8601 date (UTC) or instant.",
  ),
  endDate: EndDate.optional().describe(
    "Only tasks created on or before this ISO 8601 date (UTC) or instant.",
  ),
  completed: z.boolean().optional().describe("Only completed tasks, or only open ones."),
  meetingId: Id.optional().describe("Only tasks extracted from this meeting."),
};

/** Parameters of `me/tasks.list`. */
export const ListMyTasks = z.strictObject(listFields).prefault({});

/** Parameters of `workspace/tasks.list`. */
export const ListWorkspaceTasks = z
  .strictObject({
    ...listFields,
    userEmail: UserEmail.optional().describe(
      "Only tasks from meetings recorded by the member with this e-mail address.",
    ),
  })
  .prefault({});

/** Parameters of `tasks.update` (contract: "Update task"). */
export const UpdateTask = z
  .strictObject({
    taskId: Id.describe("A task's `id`, from `tasks.list`."),
    completed: z.boolean().optional().describe("True completes the task; false reopens it."),
    text: trimmedText(1, LIMITS.taskTextMax).optional().describe("1 to 10,000 characters after trimming."),
  })
  .refine((input) => input.completed !== undefined || input.text !== undefined, {
    message: "At least one of completed or text is required.",
  });

/** Contract: "Task (list item)". */
export const TaskListItem = z.object({
  id: z.string().describe("Unique task ID."),
  text: z.string().describe("Task description."),
  completed: z.boolean(),
  assignee: z
    .object({
      id: z.string().nullable().describe("Person ID."),
      name: z.string(),
      email: z.string().nullable(),
    })
    .nullable(),
  meetingId: z.string().describe("Meeting the task was extracted from."),
  meetingTitle: z.string().nullable(),
  createdAt: z.string().describe("ISO 8601, UTC, milliseconds."),
  userId: z.string().describe("The user who recorded the meeting."),
});
export type TaskListItem = z.infer<typeof TaskListItem>;

export const TaskPage = z.object({
  tasks: z.array(TaskListItem),
  nextCursor: z.string().nullable().describe("Pass as `cursor` for the next page; null on the last one."),
});
export type TaskPage = z.infer<typeof TaskPage>;

/** Payload of `tasks.update`: `taskId` and exactly the fields that were supplied. */
export const UpdatedTask = z.object({
  taskId: z.string(),
  text: z.string().optional(),
  completed: z.boolean().optional(),
});
export type UpdatedTask = z.infer<typeof UpdatedTask>;

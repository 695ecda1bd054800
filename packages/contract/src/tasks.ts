import { z } from "zod";
import { TaskCursor } from "./cursors.js";
import { EndDate, StartDate } from "./instants.js";
import { LIMITS } from "./limits.js";
import { InstantOut, NextCursor, Page, UserEmail } from "./meetings.js";
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
export const ListMyTasks = z.strictObject(listFields).prefault({}).meta({ id: "ListMyTasks" });

/** Parameters of `workspace/tasks.list`. */
export const ListWorkspaceTasks = z
  .strictObject({
    ...listFields,
    userEmail: UserEmail.optional().describe(
      "Only tasks from meetings recorded by the member with this e-mail address.",
    ),
  })
  .prefault({})
  .meta({ id: "ListWorkspaceTasks" });

/** Parameters of `tasks.update`. @see docs/specification.md#update-task */
export const UpdateTask = z
  .strictObject({
    taskId: Id.describe("A task's `id`, from `tasks.list`."),
    completed: z.boolean().optional().describe("True completes the task; false reopens it."),
    text: trimmedText(1, LIMITS.taskTextMax).optional().describe("1 to 10,000 characters after trimming."),
  })
  .refine((input) => input.completed !== undefined || input.text !== undefined, {
    message: "At least one of completed or text is required.",
  })
  .meta({ id: "UpdateTask", minProperties: 2 });

/** Contract: "Task (list item)". */
export const TaskListItem = z
  .object({
    id: z.string().describe("Unique task ID."),
    text: z.string().describe("Task description."),
    completed: z.boolean().describe("True once the task is done."),
    assignee: z
      .object({
        id: z.string().nullable().describe("Person ID, if the assignee is known to the service."),
        name: z.string().describe("Display name."),
        email: z.string().nullable().describe("E-mail address, if known."),
      })
      .nullable()
      .describe("Who should do it; null if nobody was named."),
    meetingId: z.string().describe("Meeting the task was extracted from."),
    meetingTitle: z.string().nullable().describe("That meeting's title."),
    createdAt: InstantOut.describe("When the task was created: ISO 8601, UTC, milliseconds."),
    userId: z.string().describe("ID of the user who recorded the meeting."),
  })
  .meta({ id: "TaskListItem", description: "A task, as it appears in lists." });
export type TaskListItem = z.infer<typeof TaskListItem>;

export const TaskPage = z
  .object({
    tasks: z.array(TaskListItem).describe("The tasks of this page, newest first."),
    nextCursor: NextCursor,
  })
  .meta({ id: "TaskPage", description: "One page of tasks." });
export type TaskPage = z.infer<typeof TaskPage>;

/** Payload of `tasks.update`: `taskId` and exactly the fields that were supplied. */
export const UpdatedTask = z
  .object({
    taskId: z.string().describe("The task's `id`."),
    text: z.string().optional().describe("The new text, trimmed; absent if it was not sent."),
    completed: z.boolean().optional().describe("The new state; absent if it was not sent."),
  })
  .meta({ id: "UpdatedTask", description: "The task's `id` and exactly the fields that were supplied." });
export type UpdatedTask = z.infer<typeof UpdatedTask>;

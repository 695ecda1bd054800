import { z } from "zod";
import { TaskCursor, TaskCursorOfOrder } from "./cursors.js";
import { Day, EndDate, InstantOut, StartDate } from "./instants.js";
import { LIMITS } from "./limits.js";
import { NextCursor, Page, UserEmail } from "./meetings.js";
import { MESSAGES } from "./messages.js";
import { createFieldRefusal, createRefusal, mutation, PAGE_REFUSALS, query, type Tool } from "./operation.js";
import { boundedText, Id, trimmedText } from "./text.js";

const listFields = {
  ...Page,
  cursor: TaskCursor.optional().describe("Opaque `nextCursor` of the previous page."),
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

const assignee = boundedText(1, LIMITS.emailMax)
  .optional()
  .describe("Only tasks of this assignee: an e-mail address or part of a name, accents ignored.");

const dueBefore = Day.optional().describe("Only tasks due before this day, such as 2026-03-14.");
const mine = z
  .literal(true, "must be true or absent")
  .optional()
  .describe("True: only tasks assigned to the caller.");
const namedLikeMe = z
  .literal(true, "must be true or absent")
  .optional()
  .describe("True: only tasks that may be the caller's, by exact name without an address.");

const ORDERS = ["newest", "due"] as const;
export type TaskOrder = (typeof ORDERS)[number];
const filters = {
  cursor: TaskCursorOfOrder.optional().describe("Opaque `nextCursor` of the previous page."),
  assignee,
  dueBefore,
  order: z.enum(ORDERS).optional().describe("`due`: earliest due date first, undated last."),
};

/** Parameters of a user's `tasks.list` outside `/v1`. */
export const ListMyTasksOfPerson = ListMyTasks.unwrap()
  .extend({ ...filters, mine, namedLikeMe })
  .prefault({});

/** Parameters of a workspace's `tasks.list` outside `/v1`. */
export const ListWorkspaceTasksOfPerson = ListWorkspaceTasks.unwrap().extend(filters).prefault({});

/** Parameters of `tasks.update`. @see docs/specification.md#update-task */
export const UpdateTask = z
  .strictObject({
    taskId: Id.describe("A task's `id`, from a list of tasks."),
    completed: z.boolean().optional().describe("True completes the task; false reopens it."),
    text: trimmedText(1, LIMITS.taskTextMax).optional().describe("1 to 10,000 characters after trimming."),
  })
  .refine((input) => input.completed !== undefined || input.text !== undefined, {
    message: "At least one of completed or text is required.",
  })
  .meta({ id: "UpdateTask", minProperties: 2 });

/** A task as lists return it. @see docs/specification.md#task-list-item */
export const TaskListItem = z
  .object({
    id: z.string().describe("Unique task ID."),
    text: z.string().describe("Task description."),
    completed: z.boolean().describe("True once the task is done."),
    assignee: z
      .object({
        id: z
          .string()
          .nullable()
          .describe(
            "Person ID, as in `participants[].id`; null if the assignee neither spoke nor has an e-mail address.",
          ),
        name: z.string().describe("Display name."),
        email: z.string().nullable().describe("E-mail address, if known."),
      })
      .nullable()
      .describe("Assignee; null if nobody was named."),
    meetingId: z.string().describe("Meeting the task was extracted from."),
    meetingTitle: z.string().nullable().describe("That meeting's title."),
    createdAt: InstantOut.describe("When the task was created: ISO 8601, UTC, milliseconds."),
    userId: z.string().describe("ID of the user who recorded the meeting."),
  })
  .meta({ id: "TaskListItem", description: "A task in a list." });
export type TaskListItem = z.infer<typeof TaskListItem>;

export const TaskPage = z
  .object({
    tasks: z.array(TaskListItem).describe("The tasks of this page, newest first."),
    nextCursor: NextCursor,
  })
  .meta({ id: "TaskPage", description: "One page of tasks." });
export type TaskPage = z.infer<typeof TaskPage>;

/** Answer of `tasks.update`: `taskId` and exactly the supplied fields. */
export const UpdatedTask = z
  .object({
    taskId: z.string().describe("The task's `id`."),
    text: z.string().optional().describe("The new text, trimmed; absent if it was not supplied."),
    completed: z.boolean().optional().describe("The new state; absent if it was not supplied."),
  })
  .meta({ id: "UpdatedTask", description: "The task's `id` and exactly the supplied fields." });
export type UpdatedTask = z.infer<typeof UpdatedTask>;

/** A task outside `/v1`: with its due date, and whether the caller can complete it. */
export const TaskWithDue = TaskListItem.extend({
  due: z.string().nullable().describe("The day by which it should be done, `YYYY-MM-DD`; null for none."),
  canComplete: z.boolean().describe("True if the caller can complete and reopen it."),
}).meta({ id: "TaskWithDue", description: "A task with its due date." });
export type TaskWithDue = z.infer<typeof TaskWithDue>;

/** Answer of `tasks.list` outside `/v1`. */
export const TaskPageWithDue = TaskPage.extend({
  tasks: z.array(TaskWithDue).describe("The tasks of this page, in the requested order."),
}).meta({ id: "TaskPageWithDue", description: "One page of tasks with due dates." });

/** Parameters of `tasks.get`. */
export const TaskRef = z.strictObject({ taskId: Id.describe("The task's `id`.") });

const TASK_EXAMPLE = { taskId: "tsk_5hJd9WqE3uKf6GvA8xMr" };
const ASSIGNEE = createFieldRefusal("assignee");
const LIST_TOOL: Tool = {
  name: "list_tasks",
  title: "List tasks",
  description: "Lists action items of meetings. Set completed to false for open ones.",
  list: "tasks",
};
const LIST_REFUSALS = [...PAGE_REFUSALS, createFieldRefusal("completed"), createFieldRefusal("meetingId")];
const EMPTY = "in pages. A filter without matches returns an empty list.";
const ORDER = `newest first, ${EMPTY}`;
const ANY_ORDER = `newest first or by due date, ${EMPTY}`;
const OF_READABLE = "Action items of meetings that the caller can read;";
const OF_MEMBERS = "Action items of the meetings of all current members;";

/** @see docs/specification.md#personal-key-routes */
export const listMyTasks = query("tasks.list", {
  callers: ["user"],
  operator: { audit: "task.list" },
  v1: true,
  input: ListMyTasks,
  output: TaskPage,
  summary: "List tasks of own and shared meetings",
  description: `${OF_READABLE} ${ORDER}`,
  example: { completed: false, limit: 20 },
  refuses: LIST_REFUSALS,
});

/** `tasks.list` outside `/v1`: with due dates, filters by assignee and due date, and either order. */
export const listMyTasksWithDue = query("tasks.list", {
  ...listMyTasks,
  v1: undefined,
  rest: { at: "GET /tasks", id: "listTasks" },
  tool: LIST_TOOL,
  description: `${OF_READABLE} ${ANY_ORDER}`,
  input: ListMyTasksOfPerson,
  output: TaskPageWithDue,
  refuses: [...LIST_REFUSALS, ASSIGNEE],
});

/** @see docs/specification.md#personal-key-routes */
export const listWorkspaceTasks = query("tasks.list", {
  callers: ["workspace"],
  v1: true,
  input: ListWorkspaceTasks,
  output: TaskPage,
  summary: "List the workspace's tasks",
  description: `${OF_MEMBERS} ${ORDER}`,
  example: { completed: false, limit: 20 },
  refuses: [...LIST_REFUSALS, createFieldRefusal("userEmail")],
});

/** `tasks.list` outside `/v1`: with due dates, filters by assignee and due date, and either order. */
export const listWorkspaceTasksWithDue = query("tasks.list", {
  ...listWorkspaceTasks,
  v1: undefined,
  rest: { at: "GET /tasks", id: "listTasks" },
  tool: LIST_TOOL,
  description: `${OF_MEMBERS} ${ANY_ORDER}`,
  input: ListWorkspaceTasksOfPerson,
  output: TaskPageWithDue,
  refuses: [...LIST_REFUSALS, createFieldRefusal("userEmail"), ASSIGNEE],
});

export const getTask = query("tasks.get", {
  callers: ["user", "workspace"],
  operator: { ownerOf: "taskId", audit: "task.get" },
  rest: { at: "GET /tasks/{taskId}", id: "getTask" },
  input: TaskRef,
  output: TaskWithDue,
  summary: { user: "Get a task", workspace: "Get a task of the workspace" },
  description: {
    user: "An action item of a meeting that the caller can read, as in the list of tasks.",
    workspace: "An action item of a current member's meeting, as in the list of tasks.",
  },
  example: TASK_EXAMPLE,
  refuses: [createFieldRefusal("taskId"), createRefusal(404, MESSAGES.taskNotFound)],
});

const UPDATE =
  "Changes a task's text, its state, or both. Omitted fields stay unchanged. At least one of `completed` and " +
  "`text` is required. Repeating an update is a no-op. The answer has `taskId` and exactly " +
  "the supplied fields.";

/** @see docs/specification.md#update-task */
export const updateTask = mutation("tasks.update", {
  callers: ["user", "workspace"],
  operator: { ownerOf: "taskId", audit: "task.update" },
  v1: true,
  input: UpdateTask,
  output: UpdatedTask,
  summary: {
    user: "Complete, reopen or reword one of your own tasks",
    workspace: "Complete, reopen or reword a task of the workspace",
  },
  description: {
    user: `${UPDATE} Only tasks that the caller owns; tasks of shared meetings are read-only.`,
    workspace: `${UPDATE} Any task of a current member's meeting.`,
  },
  example: { ...TASK_EXAMPLE, completed: true },
  refuses: [
    ...["taskId", "completed", "text"].map(createFieldRefusal),
    createRefusal(400, "At least one of completed or text is required."),
    createRefusal(404, MESSAGES.taskNotWritable),
  ],
});

/** `tasks.update` outside `/v1`, where an assignee can also complete a task of a colleague's meeting. */
export const updateAssignedTask = mutation("tasks.update", {
  ...updateTask,
  v1: undefined,
  rest: { at: "PATCH /tasks/{taskId}", id: "updateTask" },
  tool: {
    name: "update_task",
    title: "Complete, reopen or reword a task",
    description:
      "Changes a task's state, text or both. Take taskId from list_tasks. Users can change tasks of their meetings, and complete those assigned to them in others'. For a due date or assignee, use update_meeting_task.",
  },
  description: {
    user: `${UPDATE} Tasks of the caller's own meetings. A task of another meeting that the caller can read can be completed and reopened if it is assigned to the caller's e-mail address, also through a merge of people.`,
    workspace: `${UPDATE} Any task of a current member's meeting.`,
  },
});

import { LIMITS, parseBound, TaskPage } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { z } from "zod";
import {
  type Arguments,
  omit,
  readInteger,
  readText,
  type ToolDefinition,
  type ToolHelp,
  textParameter,
} from "./definition.js";

/** Default number of tasks in a page: what fits into a few kilobytes. */
const TASKS = 20;
/** Pages of 100 tasks that are read for one assignee. */
const PAGES = 10;

/** Removes accents and case: people type Jose for José. */
const simplify = (name: string) => name.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Reads tasks until enough have the assignee. */
async function listAssignedTasks(assignee: string, input: Arguments, { run }: ToolHelp): Promise<unknown> {
  const wanted = simplify(assignee);
  const limit = readInteger(input, "limit", 1, LIMITS.pageSizeMax) ?? TASKS;
  const tasks: z.infer<typeof TaskPage>["tasks"] = [];
  let cursor: unknown = input.cursor;
  for (let page = 0; page < PAGES; page++) {
    const next = { ...input, limit: LIMITS.pageSizeMax, ...(cursor === undefined ? {} : { cursor }) };
    const { tasks: read, nextCursor } = TaskPage.parse(await run(next));
    tasks.push(...read.filter((task) => simplify(task.assignee?.name ?? "").includes(wanted)));
    if (tasks.length > limit) break;
    if (nextCursor === null) return { tasks, nextCursor: null };
    cursor = nextCursor;
  }
  return { tasks: tasks.slice(0, limit), nextCursor: null, note: "There may be more. Narrow it with dates." };
}

/** Tools for action items. */
export const TASK_TOOLS: readonly ToolDefinition[] = [
  {
    name: "list_tasks",
    title: "List tasks",
    description:
      `Lists action items of meetings, newest first, ${TASKS} per page: text, state, assignee and meeting. Set completed to false for open ones, ` +
      "assignee to a part of a name, and since to a date.",
    procedure: "tasks.list",
    extra: {
      assignee: textParameter("Only tasks whose assignee's name contains this text. Accents don't matter."),
      since: textParameter(
        "Only tasks created on or after this date (UTC) or instant; the same as startDate.",
      ),
    },
    output: TaskPage.extend({ note: z.string().optional() }),
    call: async (args, help) => {
      const assignee = readText(args, "assignee");
      const since = readText(args, "since");
      if (since !== undefined && parseBound(since, "start") === null)
        throw new ApiError(
          "BAD_REQUEST",
          "since must be a date such as 2026-01-31, or an instant with a zone.",
        );
      const input = {
        ...omit(args, "assignee", "since"),
        ...(since === undefined ? {} : { startDate: since }),
      };
      return assignee === undefined
        ? help.run({ limit: TASKS, ...input })
        : listAssignedTasks(assignee, input, help);
    },
  },
  {
    name: "update_task",
    title: "Complete, reopen or reword a task",
    description:
      "Changes a task's state, its text, or both; omitted fields stay unchanged. Take taskId from list_tasks. With a personal key, only tasks " +
      "of the user's own meetings can be changed.",
    procedure: "tasks.update",
  },
  {
    name: "list_tags",
    title: "List tags",
    description:
      "Lists the user's own tags and those that others shared with them. list_meetings and search_meetings take a tag's name.",
    procedure: "tags.list",
  },
];

import { LIMITS, parseBound, TagList, TaskPage, TaskWithDue } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { z } from "zod";
import {
  type Arguments,
  omit,
  readFlag,
  readText,
  refuseOthers,
  type ToolDefinition,
  textParameter,
} from "./definition.js";
import {
  everythingParameter,
  type List,
  limitParameter,
  listPage,
  noteIfEmpty,
  shorten,
  withNote,
} from "./size.js";

const TASKS: List = { key: "tasks", what: "tasks", most: 20 };
const TAGS: List = { key: "tags", what: "tags", most: LIMITS.pageSizeMax };

const { due } = TaskWithDue.shape;
const Tasks = withNote(TaskPage.extend({ tasks: z.array(TaskWithDue.extend({ due: due.optional() })) }));

/** Tools for action items. */
export const TASK_TOOLS: readonly ToolDefinition[] = [
  {
    name: "list_tasks",
    title: "List tasks",
    description:
      "Lists action items of meetings, newest first, in pages: text, state, assignee and meeting. Set completed to false for open ones, " +
      "assignee to a part of a name, and since to a date.",
    procedure: "tasks.list",
    extra: {
      limit: limitParameter(TASKS),
      since: textParameter(
        "Only tasks created on or after this date (UTC) or instant; the same as startDate.",
      ),
    },
    output: Tasks,
    call: async (args, help) => {
      const since = readText(args, "since");
      if (since !== undefined && parseBound(since, "start") === null)
        throw new ApiError(
          "BAD_REQUEST",
          "since must be a date such as 2026-01-31, or an instant with a zone.",
        );
      const input = { ...omit(args, "since"), ...(since === undefined ? {} : { startDate: since }) };
      return listPage(
        help,
        input,
        TASKS,
        args.assignee === undefined ? "" : "Names are compared without accents.",
      );
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
    extra: { everything: everythingParameter },
    output: withNote(TagList),
    call: async (args, help) => {
      refuseOthers(args, ["everything"]);
      const everything = readFlag(args, "everything");
      const found = (await help.run({})) as Arguments;
      return noteIfEmpty(
        everything ? found : shorten(found, TAGS, "Set everything to true for all."),
        ...([TAGS, help, {}] as const),
      );
    },
  },
];

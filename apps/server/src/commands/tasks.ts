import type { operations } from "@minutes/core";
import type { inferProcedureOutput } from "@trpc/server";
import { actAs, type OperatorCommand, toWholeNumber } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { type Columns, formatTable, print, printDone } from "./cli/output.js";

type Tasks = Pick<typeof operations, "tasks">;

/** Adds `minutes tasks …`. */
export function addTasksCommands(program: OperatorCommand<Tasks>): void {
  const commands = program.command("tasks").description("tasks of meetings");

  commands
    .add("list <user>", "list the tasks that a user can read, newest first")
    .option("--by-due", "by due date, the earliest first, then tasks without one")
    .option("--meeting <meetingId>", "only tasks of this meeting")
    .option("--open", "only open tasks")
    .option("--completed", "only completed tasks")
    .option("--limit <number>", "number of tasks, 1 to 100", toWholeNumber(1, 100))
    .option("--cursor <cursor>", "nextCursor of the previous page")
    .run(async ({ tasks }, user, { json, meeting: meetingId, open, completed, byDue, ...filters }) => {
      if (open && completed) throw new UsageError("Give either --open or --completed.");
      const isCompleted = completed ?? (open ? false : undefined);
      const order = byDue ? "due" : undefined;
      const input = { meetingId, completed: isCompleted, order, ...filters };
      const page = await tasks.list.query(input, actAs({ user }));
      const lines = formatTable(page.tasks, COLUMNS);
      print({ json }, page, lines, page.nextCursor === null ? [] : [`More: add --cursor ${page.nextCursor}`]);
    });

  commands.add("get <taskId>", "show a task").run(async ({ tasks }, taskId, options) => {
    const task = await tasks.get.query({ taskId });
    print(options, task, formatTable([task], COLUMNS));
  });

  for (const [name, description, completed] of [
    ["complete", "complete a task", true],
    ["reopen", "reopen a completed task", false],
  ] as const) {
    commands.add(`${name} <taskId>`, description).run(async ({ tasks }, taskId, options) => {
      const changed = await tasks.update.mutate({ taskId, completed });
      printDone(options, changed, `${taskId} is ${completed ? "completed" : "open"}.`);
    });
  }

  commands
    .add("update <taskId>", "change a task's text")
    .requiredOption("--text <text>", "new text")
    .run(async ({ tasks }, taskId, { text, ...options }) => {
      printDone(options, await tasks.update.mutate({ taskId, text }), `${taskId} has a new text.`);
    });
}

const COLUMNS: Columns<inferProcedureOutput<Tasks["tasks"]["get"]>> = {
  ID: ({ id }) => id,
  STATE: ({ completed }) => (completed ? "completed" : "open"),
  DUE: ({ due }) => due,
  ASSIGNEE: ({ assignee }) => assignee?.name ?? null,
  MEETING: ({ meetingId }) => meetingId,
  TEXT: ({ text }) => text,
};

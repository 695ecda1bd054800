import { ListMyTasks, UpdateTask } from "@minutes/contract";
import { audit, findTaskOwner, listTasks, ownedBy, updateTask, visibleTo } from "@minutes/core";
import { z } from "zod";
import type { OperatorCommand } from "./cli/command.js";
import { UsageError } from "./cli/exit.js";
import { formatTable, print, printDone } from "./cli/output.js";
import { operatorProcedure, userProcedure } from "./operator/procedures.js";

/** Tasks of meetings. Reading them is recorded in the audit log. */
export const tasks = {
  /** The tasks that a user can read, newest first. */
  list: userProcedure
    .input(ListMyTasks.unwrap().extend({ user: z.string() }))
    .query(async ({ ctx: { db, actor, user }, input: { user: _, ...page } }) => {
      await audit(db, actor, "task.list", user.userId);
      return listTasks(db, visibleTo(user), page);
    }),
  update: operatorProcedure.input(UpdateTask).mutation(async ({ ctx: { db, actor }, input }) => {
    const { taskId, ...changed } = await updateTask(
      db,
      ownedBy(await findTaskOwner(db, input.taskId)),
      input,
    );
    await audit(db, actor, "task.update", taskId);
    return { id: taskId, ...changed };
  }),
};

/** Adds `minutes tasks …`. */
export function addTasksCommands(program: OperatorCommand<{ tasks: typeof tasks }>): void {
  const commands = program.command("tasks").description("tasks of meetings");

  commands
    .add("list <user>", "list the tasks that a user can read, newest first")
    .option("--meeting <meetingId>", "only tasks of this meeting")
    .option("--open", "only open tasks")
    .option("--completed", "only completed tasks")
    .option("--limit <number>", "number of tasks, 1 to 100", Number)
    .option("--cursor <cursor>", "nextCursor of the previous page")
    .run(async ({ tasks }, user, { json, meeting: meetingId, open, completed, ...filters }) => {
      if (open && completed) throw new UsageError("Give either --open or --completed.");
      const isCompleted = completed ?? (open ? false : undefined);
      const page = await tasks.list.query({ user, meetingId, completed: isCompleted, ...filters });
      const lines = formatTable(page.tasks, {
        ID: ({ id }) => id,
        STATE: ({ completed }) => (completed ? "completed" : "open"),
        MEETING: ({ meetingId }) => meetingId,
        TEXT: ({ text }) => text,
      });
      print({ json }, page, lines, page.nextCursor === null ? [] : [`More: add --cursor ${page.nextCursor}`]);
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
    .add("rename <taskId> <text>", "change a task's text")
    .run(async ({ tasks }, taskId, text, options) => {
      printDone(options, await tasks.update.mutate({ taskId, text }), `${taskId} has a new text.`);
    });
}

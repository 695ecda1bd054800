import {
  ListMyTasks,
  ListMyTasksOfPerson,
  ListWorkspaceTasks,
  ListWorkspaceTasksOfPerson,
  TaskPage,
  TaskPageWithDue,
  TaskRef,
  TaskWithDue,
  UpdatedTask,
  UpdateTask,
} from "@minutes/contract";
import { authorOf, ownedBy, ownedByMembers, readableBy, visibleTo } from "../access/index.js";
import { keyProcedure, personalProcedure, workspaceProcedure } from "../api/index.js";
import { getTask } from "./get.js";
import { listTasks, listTasksWithDue } from "./list.js";
import { updateTask } from "./update.js";

/** `/v1/me/tasks.*` */
export const myTasks = {
  list: personalProcedure
    .input(ListMyTasks)
    .output(TaskPage)
    .query(({ ctx, input }) => listTasks(ctx.db, visibleTo(ctx.caller), input)),
  update: personalProcedure
    .input(UpdateTask)
    .output(UpdatedTask)
    .mutation(({ ctx, input }) =>
      updateTask(ctx.db, { scope: ownedBy(ctx.caller), actor: authorOf(ctx.caller) }, input),
    ),
};

/** `/v1/workspace/tasks.*` */
export const workspaceTasks = {
  list: workspaceProcedure
    .input(ListWorkspaceTasks)
    .output(TaskPage)
    .query(({ ctx, input }) => listTasks(ctx.db, ownedByMembers(ctx.caller, input.userEmail), input)),
  update: workspaceProcedure
    .input(UpdateTask)
    .output(UpdatedTask)
    .mutation(({ ctx, input }) =>
      updateTask(ctx.db, { scope: ownedByMembers(ctx.caller), actor: authorOf(ctx.caller) }, input),
    ),
};

/** The console's tasks, with due dates. */
export const consoleTasks = {
  ...myTasks,
  list: personalProcedure
    .input(ListMyTasksOfPerson)
    .output(TaskPageWithDue)
    .query(({ ctx, input }) => listTasksWithDue(ctx.db, visibleTo(ctx.caller), input)),
};

const get = keyProcedure
  .input(TaskRef)
  .output(TaskWithDue)
  .query(({ ctx, input }) => getTask(ctx.db, readableBy(ctx.caller), input.taskId));

/** `/rest/v1/me/tasks` */
export const myRestTasks = {
  ...myTasks,
  list: personalProcedure
    .input(ListMyTasksOfPerson)
    .output(TaskPage)
    .query(({ ctx, input }) => listTasks(ctx.db, visibleTo(ctx.caller), input)),
  get,
};

/** `/rest/v1/workspace/tasks` */
export const workspaceRestTasks = {
  ...workspaceTasks,
  list: workspaceProcedure
    .input(ListWorkspaceTasksOfPerson)
    .output(TaskPage)
    .query(({ ctx, input }) => listTasks(ctx.db, ownedByMembers(ctx.caller, input.userEmail), input)),
  get,
};

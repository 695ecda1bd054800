import { ListMyTasks, ListWorkspaceTasks, TaskPage, UpdatedTask, UpdateTask } from "@minutes/contract";
import { ofWorkspace, ownedBy, visibleTo } from "../meetings/index.js";
import { company, personal } from "../trpc/index.js";
import { listTasks } from "./list.js";
import { updateTask } from "./update.js";

/** `/v1/me/tasks.*` */
export const myTasks = {
  list: personal
    .input(ListMyTasks)
    .output(TaskPage)
    .query(({ ctx, input }) => listTasks(ctx.db, visibleTo(ctx.caller), input)),
  update: personal
    .input(UpdateTask)
    .output(UpdatedTask)
    .mutation(({ ctx, input }) => updateTask(ctx.db, ownedBy(ctx.caller), input)),
};

/** `/v1/workspace/tasks.*` */
export const workspaceTasks = {
  list: company
    .input(ListWorkspaceTasks)
    .output(TaskPage)
    .query(({ ctx, input }) => listTasks(ctx.db, ofWorkspace(ctx.caller, input.userEmail), input)),
  update: company
    .input(UpdateTask)
    .output(UpdatedTask)
    .mutation(({ ctx, input }) => updateTask(ctx.db, ofWorkspace(ctx.caller), input)),
};

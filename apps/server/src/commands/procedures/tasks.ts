import { Id, ListMyTasks, UpdateTask } from "@minutes/contract";
import {
  audit,
  findTaskOwner,
  getTask,
  listTasksWithDue,
  ownedBy,
  toActorName,
  updateTask,
  visibleTo,
} from "@minutes/core";
import { z } from "zod";
import { operatorProcedure, userProcedure } from "../operator/procedures.js";

/** Tasks of meetings. Reading them is recorded in the audit log. */
export const tasks = {
  /** The tasks that a user can read, newest first. */
  list: userProcedure
    .input(ListMyTasks.unwrap().extend({ user: z.string() }))
    .query(async ({ ctx: { db, actor, user }, input: { user: _, ...page } }) => {
      await audit(db, actor, "task.list", user.userId);
      return listTasksWithDue(db, visibleTo(user), page);
    }),
  show: operatorProcedure
    .input(z.strictObject({ taskId: Id }))
    .query(async ({ ctx: { db, actor }, input: { taskId } }) => {
      const owner = await findTaskOwner(db, taskId);
      await audit(db, actor, "task.list", owner.userId);
      return getTask(db, ownedBy(owner), taskId);
    }),
  update: operatorProcedure.input(UpdateTask).mutation(async ({ ctx: { db, actor }, input }) => {
    const scope = ownedBy(await findTaskOwner(db, input.taskId));
    const { taskId, ...changed } = await updateTask(db, { scope, actor: toActorName(actor) }, input);
    await audit(db, actor, "task.update", taskId);
    return { id: taskId, ...changed };
  }),
};

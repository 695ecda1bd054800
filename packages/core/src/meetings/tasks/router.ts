import * as contract from "@minutes/contract";
import { ownedByMembers, visibleTo } from "../../access/index.js";
import { implement } from "../../api/index.js";
import { getTask, listTasks, listTasksWithDue } from "./list.js";
import { updateAssignedTask, updateTask } from "./update.js";

const update = implement(contract.updateTask, ({ db, caller, input }) => updateTask(db, caller, input));

const updateAssigned = implement(contract.updateAssignedTask, ({ db, caller, input }) =>
  updateAssignedTask(db, caller, input),
);

const get = implement(contract.getTask, ({ db, caller, input }) => getTask(db, caller, input.taskId));

/** `/v1/me/tasks.*` */
export const myTasks = {
  list: implement(contract.listMyTasks, ({ db, caller, input }) => listTasks(db, visibleTo(caller), input)),
  update,
};

/** `/rest/v1/me/tasks`, and the tasks of the console and assistants: with due dates; assignees complete theirs. */
export const myTasksWithDue = {
  get,
  list: implement(contract.listMyTasksWithDue, ({ db, caller, input }) =>
    listTasksWithDue(db, caller, visibleTo(caller), input),
  ),
  update: updateAssigned,
};

/** `/v1/workspace/tasks.*` */
export const workspaceTasks = {
  list: implement(contract.listWorkspaceTasks, ({ db, caller, input }) =>
    listTasks(db, ownedByMembers(caller, input.userEmail), input),
  ),
  update,
};

/** `/rest/v1/workspace/tasks`, and the tasks of a workspace's assistants. */
export const workspaceTasksWithDue = {
  get,
  list: implement(contract.listWorkspaceTasksWithDue, ({ db, caller, input }) =>
    listTasksWithDue(db, caller, ownedByMembers(caller, input.userEmail), input),
  ),
  update: updateAssigned,
};

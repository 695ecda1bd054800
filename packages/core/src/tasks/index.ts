export { getTask } from "./get.js";
export { listTasks, type TaskRow, taskColumns, toTaskListItem } from "./list.js";
export { findTaskOwner, updateTask } from "./update.js";

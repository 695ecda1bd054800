export { getTask } from "./get.js";
export { listTasksWithDue, type TaskRow, taskColumns, toTaskListItem } from "./list.js";
export { findTaskOwner, updateTask } from "./update.js";

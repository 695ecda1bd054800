export { type TaskRow, taskColumns, toTaskListItem } from "./list.js";
export { updateTask } from "./update.js";

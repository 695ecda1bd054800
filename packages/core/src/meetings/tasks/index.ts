export { listTasks, type TaskRow, taskColumns, toTaskListItem } from "./list.js";

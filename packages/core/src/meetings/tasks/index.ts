export { type TaskRow, taskColumns, toTaskListItem } from "./list.js";

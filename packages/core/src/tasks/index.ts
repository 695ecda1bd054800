export { updateTask } from "./update.js";

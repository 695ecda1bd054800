export { ask } from "./ask.js";

export { answer } from "./answer.js";
export { ask } from "./ask.js";

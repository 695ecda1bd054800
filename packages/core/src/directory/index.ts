export { startSettling } from "./settle.js";

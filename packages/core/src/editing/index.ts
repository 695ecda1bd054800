export { type Correction, correct, requireEditable } from "./correct.js";

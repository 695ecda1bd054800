export { type Correction, correct } from "./correct.js";

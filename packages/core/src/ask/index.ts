export { answer } from "./answer.js";
export { findSentence } from "./find-sentence.js";

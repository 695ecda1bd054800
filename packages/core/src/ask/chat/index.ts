export { type AnswerModel, type ChatOptions, type ChatRequest, requestChat } from "./request.js";
export { streamChat } from "./stream.js";

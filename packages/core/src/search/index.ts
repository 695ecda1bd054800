export * from "./explain.js";
export * from "./index-meeting.js";
export * from "./reindex.js";
export * from "./search.js";
export { endpointModel } from "./vectors/endpoint.js";
export { forgetLearnt } from "./vectors/forget.js";
export { learntEmbedder } from "./vectors/learnt.js";
export { type EmbeddingModel, modelEmbedder } from "./vectors/model.js";
export { guard, type Semantics, wordsOnly } from "./vectors/semantics.js";

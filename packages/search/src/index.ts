export * from "./explain.js";
export * from "./indexing/index-meeting.js";
export * from "./indexing/reindex.js";
export * from "./scope.js";
export * from "./search.js";
export { type SimilaritySearch, withCircuitBreaker, wordsOnly } from "./similarity/circuit-breaker.js";
export { endpointModel } from "./similarity/endpoint.js";
export { EmbeddingError, type EmbeddingModel, modelEmbedder } from "./similarity/model.js";

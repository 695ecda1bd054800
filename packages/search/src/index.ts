export { expandQuery, stemWord } from "./expansions.js";
export * from "./indexing/index-meeting.js";
export * from "./indexing/reindex.js";
export * from "./progress.js";
export * from "./scope.js";
export * from "./search.js";
export {
  createWordsOnlySearch,
  type SimilaritySearch,
  type SimilarityState,
  withCircuitBreaker,
} from "./similarity/circuit-breaker.js";
export { isOutside } from "./similarity/current-space.js";
export type { Embedder } from "./similarity/embedder.js";
export { createEndpointModel } from "./similarity/endpoint.js";
export { measureScale } from "./similarity/measure-scale.js";
export { createEmbedder, EmbeddingError, type EmbeddingModel } from "./similarity/model.js";

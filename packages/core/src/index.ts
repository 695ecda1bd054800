export * from "./actor.js";
export * from "./errors.js";
export * from "./ingest/index.js";
export * from "./keys/index.js";
export { type MeRouter, meRouter } from "./me.js";
export { shareMeeting, unshareMeeting } from "./meetings/index.js";
export * from "./rate-limit/index.js";
export {
  countOutdated,
  type EmbeddingModel,
  endpointModel,
  guard,
  learntEmbedder,
  modelEmbedder,
  reindexSome,
  type Semantics,
  setSearchLanguage,
} from "./search/index.js";
export { deleteTag, shareTag, tagMeeting, unshareTag, untagMeeting } from "./tags/index.js";
export * from "./trpc/index.js";
export { type WorkspaceRouter, workspaceRouter } from "./workspace.js";
export * from "./workspaces/index.js";

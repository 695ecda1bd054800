export * from "./ingest.js";
export * from "./keys.js";
export * from "./meetings.js";
export * from "./people.js";
export * from "./plans.js";
export * from "./search.js";
export * from "./vocabulary.js";
export * from "./webhooks.js";

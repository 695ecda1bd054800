export * from "./keys.js";
export * from "./meetings.js";
export * from "./people.js";
export * from "./search.js";
export * from "./webhooks.js";

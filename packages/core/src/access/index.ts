export { requireRecentSignIn } from "./actor.js";
export * from "./callers.js";
export * from "./scopes.js";

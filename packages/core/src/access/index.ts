export * from "./callers.js";
export { requireRecentSignIn } from "./recent-sign-in.js";
export * from "./scopes.js";

export * from "../callers.js";
export * from "./scopes.js";

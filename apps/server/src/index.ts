export * from "./app.js";
export * from "./env.js";
export * from "./semantics.js";

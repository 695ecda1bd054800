export * from "./app.js";
export * from "./env.js";
export * from "./similarity.js";

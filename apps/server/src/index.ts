export * from "./app.js";
export * from "./env.js";

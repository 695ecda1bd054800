export * from "./app.js";
export * from "./env.js";
export * from "./http-server.js";
export * from "./similarity.js";
export { createWatch } from "./watch/watch.js";

export * from "./config/config.js";
export * from "./http/app.js";
export * from "./http/http-server.js";
export { createWatch } from "./operations/watch/watch.js";
export * from "./search/similarity.js";

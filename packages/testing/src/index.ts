export * from "./bulk.js";
export * from "./call.js";
export * from "./database.js";
export * from "./given.js";
export * from "./server.js";

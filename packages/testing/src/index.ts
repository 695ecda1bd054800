export * from "./bulk.js";
export * from "./call.js";
export * from "./database.js";
export * from "./given.js";
export * from "./hostile.js";
export * from "./instances.js";
export * from "./server.js";
export * from "./shape.js";

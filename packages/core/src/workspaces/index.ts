export * from "./addresses.js";
export * from "./lock.js";
export * from "./membership.js";
export { startOver } from "./start-over.js";
export * from "./users.js";
export * from "./workspaces.js";

export { type ActingAs, createActAs } from "./act-as.js";
export { listAudit } from "./audit-log/list.js";
export * from "./lock.js";
export * from "./membership.js";
export { moveToNewWorkspace } from "./move-to-new-workspace.js";
export * from "./users.js";
export * from "./workspaces.js";

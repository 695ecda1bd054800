export * from "./delete.js";
export * from "./get.js";
export * from "./list.js";
export { meetingJson, meetingRows } from "./meeting-json.js";
export { transcriptMarkdown } from "./present.js";
export { toSearchScope } from "./search.js";
export * from "./share.js";
export * from "./summary.js";

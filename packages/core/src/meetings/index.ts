export * from "./delete.js";
export * from "./get.js";
export * from "./list.js";
export { fromMeetings, meetingJson } from "./meeting-json.js";
export * from "./owner.js";
export * from "./render-summary.js";
export { toSearchScope } from "./search.js";
export * from "./write-meeting.js";

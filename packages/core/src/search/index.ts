export * from "./index-meeting.js";
export * from "./search.js";

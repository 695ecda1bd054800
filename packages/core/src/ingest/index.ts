export * from "./import-meeting.js";

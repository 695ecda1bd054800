export * from "./list-shares.js";
export * from "./share-meeting.js";
export * from "./share-tag.js";

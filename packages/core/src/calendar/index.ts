export { findEventTitle, linkCompletedMeetings, linkMeetings } from "./link.js";
export { createFeedReader } from "./read-feed.js";
export { syncCalendars } from "./sync.js";

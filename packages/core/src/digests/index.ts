export { sendDigests } from "./send.js";
export { findDigest, unsubscribe } from "./subscriptions.js";
export { queueWeeklyDigests } from "./week-mail.js";

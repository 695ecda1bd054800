export { eraseAddress, eraseFromMeetings } from "./erase.js";
export { findAddress, type TextPlace } from "./scan.js";
export { findPerson, type PersonTraces } from "./traces.js";

export { eraseAddress, eraseFromMeetings } from "./erase.js";
export { findAddress, type TextPlace } from "./scan.js";
export { findPerson, type PersonReferences } from "./traces.js";

export { eraseAddress, eraseFromMeetings } from "./erase.js";
export { findPerson, type PersonReferences } from "./references.js";
export { findAddress, type TextPlace } from "./scan.js";

export { eraseFromDirectories } from "./directories.js";
export { eraseElsewhere, eraseFromMeetings, listWrites, recordErasure } from "./erase.js";
export { findNames, findPerson, findPlaces, type PersonReferences } from "./references.js";
export type { TextPlace } from "./scan.js";
export { findSought, type Sought } from "./sought.js";

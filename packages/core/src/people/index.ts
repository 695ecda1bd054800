export { identifyPeople, purgePeople, startPeople } from "./background.js";
export { forgetPeople } from "./forget.js";
export { identify, listNames } from "./identify.js";
export { namesPerson } from "./names-person.js";
export { assigneeId, participantId } from "./person-id.js";

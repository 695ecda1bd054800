export { followMoves, identifyRemainingPeople, purgePeople } from "./background.js";
export { forgetPeople } from "./forget.js";
export { identify, listNames } from "./identify.js";
export { foldName, namesPerson } from "./names-person.js";
export { assigneeId, participantId } from "./person-id.js";
export { listPeople, reidentify } from "./reidentify.js";
export { type KnownAs, resolveWho } from "./resolve-who.js";
export { talkSeconds } from "./talk-time.js";
export { updateNamesInMeeting } from "./update-names.js";

export {
  followMoves,
  identifyRecentPeople,
  identifyRemainingPeople,
  purgePeople,
} from "./background.js";
export { findAssignee, identify, listNames } from "./identify.js";
export { fromMentions, mentionedName, talkSeconds } from "./mentions.js";
export {
  assigneeId,
  foldName,
  isAssignedTo,
  isNamedLike,
  isPersonIn,
  namesPerson,
  participantId,
  selectOwnPerson,
} from "./person-id.js";
export { forgetPeople, listPeople, listStrangers, readSpeakers, reidentify } from "./reidentify.js";
export { type KnownAs, resolveWho } from "./resolve-who.js";
export { type FindMeetings, runOnMeetings } from "./run-on-meetings.js";
export { updateNamesInMeeting } from "./update-names.js";

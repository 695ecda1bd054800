export { type Correction, correct } from "./correct.js";
export { editMeeting, editTurn } from "./edit-meeting.js";
export { deleteTask } from "./edit-task.js";
export { listVersions } from "./list-versions.js";
export { restoreVersion } from "./restore-version.js";

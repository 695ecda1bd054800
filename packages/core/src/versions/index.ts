export {
  changeMeeting,
  changeNotes,
  type LockedMeeting,
  type Touched,
} from "./change-meeting.js";
export { readVersionDifferences, type StoredTurn, type VersionDifferences } from "./differences.js";
export { exportVersions, restoreVersions } from "./export.js";
export {
  isSummaryHidden,
  type StoredSummary,
  selectMeetingsWithLockedVersions,
  unlockVersions,
} from "./hidden-summary.js";
export { eraseVersions, purgeVersions } from "./purge.js";
export { type Part, readSnapshot } from "./snapshot.js";
export { type Edit, editAlone, readVersion, requireVersion } from "./with-version.js";

// The types of all webhook events. In the workspace they come from the contract; the build replaces them with generated
// ones, as for routers.ts.
export type {
  MeetingCompleted,
  MeetingDeleted,
  MeetingShared,
  MeetingUpdated,
  RecordingFailed,
  TaskUpdated,
} from "@minutes/contract";

// The types of everything that webhooks send. In the workspace they are the contract's own; the build puts generated
// ones in their place, as for routers.ts.
export type {
  MeetingCompleted,
  MeetingDeleted,
  MeetingShared,
  MeetingUpdated,
  RecordingFailed,
  TaskUpdated,
} from "@minutes/contract";

export type { Asking } from "./ask.js";
export {
  type CallOptions,
  type CreateOptions,
  createIngestClient,
  createMeClient,
  createPeopleClient,
  createSettingsClient,
  createWorkspaceClient,
  type IngestClient,
  type MeClient,
  type PeopleClient,
  type SettingsClient,
  type TaskChange,
  type WorkspaceClient,
} from "./client.js";
export { type FailedResponse, MinutesError, type MinutesErrorCode, type RateLimit } from "./errors.js";
export { link, type RouterForRoutes, type RouteSet } from "./link.js";
export type {
  ClientOptions,
  FetchLike,
  Provided,
  ReceivedResponse,
  SentRequest,
  SettingsOptions,
  Wait,
} from "./options.js";
export {
  type AnyPage,
  type FiltersOf,
  type InputOf,
  type ItemOf,
  type Items,
  type OutputOf,
  type PagedProcedure,
  type PageOf,
  paginate,
} from "./paginate.js";
export type * from "./routers.js";
export type {
  Change,
  ChangeFeed,
  ChangesOptions,
  CursorStore,
  DetailedChange,
  DetailedSyncOptions,
  IterateOptions,
  SyncOptions,
} from "./sync.js";

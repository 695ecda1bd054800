export { createMeClient, createWorkspaceClient, type MeClient, type WorkspaceClient } from "./client.js";
export { MinutesError, type MinutesErrorCode, type RateLimit } from "./errors.js";
export { link, type RouterForRoutes, type RouteSet } from "./link.js";
export type { ClientOptions, FetchLike, Provided, Wait } from "./options.js";
export {
  type AnyPage,
  type FiltersOf,
  type ItemOf,
  type Items,
  type PagedProcedure,
  type PageOf,
  paginate,
} from "./paginate.js";
export type * from "./routers.js";
export type { Change, ChangeFeed, ChangesOptions, SyncOptions } from "./sync.js";

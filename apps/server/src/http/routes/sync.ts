import type { IncomingMessage } from "node:http";
import { LIMITS } from "@minutes/contract";
import {
  type Admission,
  type Caller,
  type Context,
  createDeadline,
  feedRouter,
  type RouteSet,
  requireApiAccess,
  requireQuota,
  requireValidKey,
  syncRouter,
  toQuotaHeaders,
  type WaitOptions,
  watchClient,
} from "@minutes/core";
import { readKeyHeader, requireKeyOrBearer, verifyApiKey } from "./api-keys.js";
import { toResources } from "./rest.js";
import type { AppServices } from "./services.js";
import { authenticateUser } from "./session.js";

/** Creates the routes of `/sync/v1` and `/rest/v1/{me,workspace}/changes`: the change feed of either kind of key. */
export const createSyncRoutes = (dependencies: AppServices): RouteSet[] => [
  ...serveFeed(dependencies, "me", "user"),
  ...serveFeed(dependencies, "workspace", "workspace"),
];

/** Creates the routes of a feed: as a procedure, and as a resource, which also accepts bearer tokens. */
function serveFeed(dependencies: AppServices, name: "me" | "workspace", kind: Caller["kind"]): RouteSet[] {
  const routes: RouteSet = {
    path: `/sync/v1/${name}`,
    router: syncRouter,
    authenticate: (request) => admitToFeed(dependencies, request, readKeyHeader(request), kind),
    limits: getLimits(dependencies),
  };
  const resources = toResources(routes, `/rest/v1/${name}`, "/changes", {
    router: syncRouter,
    authenticate: async (request) => admitToFeed(dependencies, request, requireKeyOrBearer(request), kind),
  });
  return [routes, resources];
}

/** Creates the routes of `/console/v1/feed`: the change feed of a page that a signed-in user has open. */
export const createFeedRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/console/v1/feed",
  router: feedRouter,
  authenticate: async (request) => {
    const authenticate = () => authenticateUser(dependencies, request, "console");
    const { user, quota } = await authenticate();
    return {
      headers: toQuotaHeaders(quota),
      authorize: (): Context => {
        requireQuota(quota);
        const requireKey = async () => void (await authenticate());
        return {
          db: dependencies.db,
          services: dependencies,
          caller: user,
          waiting: { ...createWaitOptions(dependencies, request), requireKey },
        };
      },
    };
  },
  limits: getLimits(dependencies),
});

/** Extends the deadline by the long-poll timeout; each database read has its own deadline. */
const getLimits = ({ deadline }: AppServices): RouteSet["limits"] => ({
  deadline: LIMITS.syncWaitMax * 1000 + 2 * deadline,
  authenticationDeadline: deadline,
});

async function admitToFeed(
  dependencies: AppServices,
  request: IncomingMessage,
  key: string | undefined,
  kind: Caller["kind"],
): Promise<Admission> {
  const verified = await verifyApiKey(dependencies, request, key);
  return {
    headers: toQuotaHeaders(verified.quota),
    authorize: (): Context => ({
      db: dependencies.db,
      services: dependencies,
      caller: requireApiAccess(verified, kind),
      waiting: createWaitOptions(dependencies, request, key),
    }),
  };
}

/** Creates the wait handle for a request. */
export const createWaitOptions = (
  { changes, db, deadline }: AppServices,
  request: IncomingMessage,
  key = readKeyHeader(request),
): WaitOptions => ({
  changes,
  requireKey: () => requireValidKey(db, key),
  onGone: (callback) => watchClient(request, callback),
  withinDeadline: (work) => {
    const limit = createDeadline(deadline);
    return limit.within(work(limit));
  },
});

import type { IncomingMessage } from "node:http";
import { LIMITS } from "@minutes/contract";
import {
  type Admission,
  type Caller,
  type Context,
  createDeadline,
  type RouteSet,
  requireApiAccess,
  requireValidKey,
  syncRouter,
  toQuotaHeaders,
  type WaitOptions,
} from "@minutes/core";
import { readKeyHeader, readKeyOrBearer, verifyApiKey } from "./api-keys.js";
import { toResources } from "./rest.js";
import type { AppServices } from "./services.js";

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
    authenticate: (request) => admitToFeed(dependencies, request, readKeyOrBearer(request), kind),
  });
  return [routes, resources];
}

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
  onGone: (callback) => {
    const { socket } = request;
    if (socket.destroyed) callback();
    else socket.once("close", callback);
    return () => void socket.off("close", callback);
  },
  withinDeadline: (work) => createDeadline(deadline).within(work()),
});

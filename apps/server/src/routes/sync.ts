import type { IncomingMessage } from "node:http";
import { LIMITS } from "@minutes/contract";
import {
  type Admission,
  type Caller,
  createDeadline,
  mySyncRouter,
  type RouteSet,
  requireApiAccess,
  toQuotaHeaders,
  type WaitOptions,
  workspaceSyncRouter,
} from "@minutes/core";
import { verifyApiKey } from "./api-keys.js";
import type { RouteDependencies } from "./dependencies.js";

/** Describes `/sync/v1/me`: the change feed of a personal key. */
export const describePersonalSyncRoutes = (dependencies: RouteDependencies): RouteSet => ({
  path: "/sync/v1/me",
  router: mySyncRouter,
  authenticate: (request) => admitToFeed(dependencies, request, "personal"),
  limits: getLimits(dependencies),
});

/** Describes `/sync/v1/workspace`: the change feed of a workspace key. */
export const describeWorkspaceSyncRoutes = (dependencies: RouteDependencies): RouteSet => ({
  path: "/sync/v1/workspace",
  router: workspaceSyncRouter,
  authenticate: (request) => admitToFeed(dependencies, request, "workspace"),
  limits: getLimits(dependencies),
});

/** Gives a call the time that it may wait besides; each of its reads has a deadline of its own. */
const getLimits = ({ deadline }: RouteDependencies): RouteSet["limits"] => ({
  deadline: LIMITS.syncWaitMax * 1000 + 2 * deadline,
  authenticationDeadline: deadline,
});

async function admitToFeed(
  dependencies: RouteDependencies,
  request: IncomingMessage,
  kind: Caller["kind"],
): Promise<Admission> {
  const verified = await verifyApiKey(dependencies, request);
  return {
    headers: toQuotaHeaders(verified.quota),
    context: () => ({
      db: dependencies.db,
      caller: requireApiAccess(verified, kind),
      waiting: createWaitOptions(dependencies, request),
    }),
  };
}

/** Creates what a request may wait by. */
export const createWaitOptions = (
  { changes, deadline }: RouteDependencies,
  request: IncomingMessage,
): WaitOptions => ({
  changes,
  onGone: (callback) => {
    const { socket } = request;
    if (socket.destroyed) callback();
    else socket.once("close", callback);
    return () => void socket.off("close", callback);
  },
  withinDeadline: (work) => createDeadline(deadline)(work()),
});

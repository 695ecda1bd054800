import type { IncomingMessage } from "node:http";
import { LIMITS } from "@minutes/contract";
import {
  type Admission,
  type Caller,
  createDeadline,
  mySyncRouter,
  type RouteSet,
  requireApiAccess,
  requireValidKey,
  toQuotaHeaders,
  type WaitOptions,
  workspaceSyncRouter,
} from "@minutes/core";
import { readKeyHeader, verifyApiKey } from "./api-keys.js";
import type { AppServices } from "./services.js";

/** Creates the routes of `/sync/v1/me`: the change feed of a personal key. */
export const createPersonalSyncRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/sync/v1/me",
  router: mySyncRouter,
  authenticate: (request) => admitToFeed(dependencies, request, "personal"),
  limits: getLimits(dependencies),
});

/** Creates the routes of `/sync/v1/workspace`: the change feed of a workspace key. */
export const createWorkspaceSyncRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/sync/v1/workspace",
  router: workspaceSyncRouter,
  authenticate: (request) => admitToFeed(dependencies, request, "workspace"),
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
  kind: Caller["kind"],
): Promise<Admission> {
  const verified = await verifyApiKey(dependencies, request);
  return {
    headers: toQuotaHeaders(verified.quota),
    authorize: () => ({
      db: dependencies.db,
      caller: requireApiAccess(verified, kind),
      waiting: createWaitOptions(dependencies, request),
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
  withinDeadline: (work) => createDeadline(deadline)(work()),
});

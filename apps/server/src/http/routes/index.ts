import {
  type Context,
  consoleRouter,
  identityRouter,
  type RouteSet,
  requireQuota,
  toQuotaHeaders,
} from "@minutes/core";
import { createIngestRoutes } from "./ingest.js";
import { createKeyRoutes } from "./keys.js";
import type { AppServices } from "./services.js";
import { authenticateUser, requireSameOrigin, toVisitor, toVisitorCaller } from "./session.js";
import { createSettingsRoutes } from "./settings.js";
import { createFeedRoutes, createSyncRoutes } from "./sync.js";
import { createUploadRoutes } from "./upload.js";

/** Creates every route set of the server. */
export const createRouteSets = (dependencies: AppServices): RouteSet[] =>
  [
    // Before the resources of keys, whose paths begin theirs.
    createSyncRoutes,
    createKeyRoutes,
    createIngestRoutes,
    createSettingsRoutes,
    // Before the console, whose path begins its own.
    createFeedRoutes,
    createConsoleRoutes,
    createUploadRoutes,
    createIdentityRoutes,
  ].flatMap((describeRoutes) => describeRoutes(dependencies));

/** Creates the routes of `/identity/v1` for signing in. No sign-in is required. */
const createIdentityRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/identity/v1",
  router: identityRouter,
  authenticate: async (request) => {
    requireSameOrigin(request, dependencies.publicUrl());
    const visitor = toVisitor(dependencies, request);
    const quota = await dependencies.visitors.count(visitor.address);
    return {
      headers: toQuotaHeaders(quota),
      authorize: (addCookie): Context => {
        requireQuota(quota);
        const caller = toVisitorCaller(dependencies, request, visitor, addCookie);
        return { db: dependencies.db, caller, services: dependencies };
      },
    };
  },
  limits: { deadline: dependencies.deadline },
});

/** Creates the routes of `/console/v1`: the console's meeting pages for a signed-in user, with a separate quota. */
const createConsoleRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/console/v1",
  router: consoleRouter,
  authenticate: async (request) => {
    const { user, quota } = await authenticateUser(dependencies, request, "console");
    return {
      headers: toQuotaHeaders(quota),
      authorize: (): Context => {
        requireQuota(quota);
        return { db: dependencies.db, caller: user, services: dependencies };
      },
    };
  },
  limits: { deadline: dependencies.deadline },
});

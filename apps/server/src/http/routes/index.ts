import type { RouteSet } from "@minutes/core";
import { createConsoleRoutes } from "./console.js";
import { createIdentityRoutes } from "./identity.js";
import { createIngestRoutes } from "./ingest.js";
import { createKeyRoutes } from "./keys.js";
import type { AppServices } from "./services.js";
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

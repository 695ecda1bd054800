import type { RouteSet } from "@minutes/core";
import { createConsoleRoutes } from "./console.js";
import { createIdentityRoutes } from "./identity.js";
import { createIngestRoutes } from "./ingest.js";
import { createPersonalRoutes } from "./personal.js";
import { createPersonalResources, createWorkspaceResources } from "./rest.js";
import type { AppServices } from "./services.js";
import { createSettingsRoutes } from "./settings.js";
import { createPersonalSyncRoutes, createWorkspaceSyncRoutes } from "./sync.js";
import { createUploadRoutes } from "./upload.js";
import { createWorkspaceRoutes } from "./workspace.js";

/** Creates every route set of the server. */
export const createRouteSets = (dependencies: AppServices): RouteSet[] =>
  [
    createPersonalRoutes,
    createWorkspaceRoutes,
    // Before the other resources, whose paths begin theirs.
    createPersonalSyncRoutes,
    createWorkspaceSyncRoutes,
    createPersonalResources,
    createWorkspaceResources,
    createIngestRoutes,
    createSettingsRoutes,
    createConsoleRoutes,
    createUploadRoutes,
    createIdentityRoutes,
  ].flatMap((describeRoutes) => describeRoutes(dependencies));

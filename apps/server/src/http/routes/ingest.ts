import type { IncomingMessage } from "node:http";
import { LIMITS } from "@minutes/contract";
import {
  type Admission,
  actorOf,
  authenticateIngest,
  BodyBudget,
  type Context,
  createRunOnce,
  ingestResourceRouter,
  ingestRouter,
  type RouteSet,
  requireQuota,
  toQuotaHeaders,
} from "@minutes/core";
import { createCredentialCheck, readAddress, readKeyHeader, requireKeyOrBearer } from "./api-keys.js";
import { toResources } from "./rest.js";
import type { AppServices } from "./services.js";

/** Deadline of an ingest call in ms: its bodies are a hundred times as long as those of `/v1`. */
const DEADLINE = 60_000;

/**
 * Creates the routes of recorders: `/ingest/v1`, and the resources `/rest/v1/recordings`, `/rest/v1/import` and
 * `/rest/v1/transcriptions`, which also accept bearer tokens. All share a budget for bodies.
 */
export function createIngestRoutes(dependencies: AppServices): RouteSet[] {
  const routes: RouteSet = {
    path: "/ingest/v1",
    router: ingestRouter,
    authenticate: (request) => admitRecorder(dependencies, request, readKeyHeader(request)),
    limits: {
      deadline: DEADLINE,
      authenticationDeadline: dependencies.deadline,
      bodyBytes: LIMITS.ingestBodyBytes,
      bodies: new BodyBudget(LIMITS.ingestBytesAtOnce),
    },
  };
  const resources = ["/recordings", "/import", "/transcriptions"].map((section) =>
    toResources(routes, "/rest/v1", section, {
      router: ingestResourceRouter,
      authenticate: async (request) => admitRecorder(dependencies, request, requireKeyOrBearer(request)),
    }),
  );
  return [routes, ...resources];
}

async function admitRecorder(
  dependencies: AppServices,
  request: IncomingMessage,
  key: string | undefined,
): Promise<Admission> {
  const { db, ingestLimit, keyNetworks, requests } = dependencies;
  const check = createCredentialCheck(dependencies, request);
  const { caller, quota } = await authenticateIngest(db, key, ingestLimit, check);
  keyNetworks.record("ingest-key", actorOf(caller), readAddress(request));
  requests.count(`ingest:${caller.workspaceId}`);
  return {
    headers: toQuotaHeaders(quota),
    holder: caller.workspaceId,
    runOnce: createRunOnce(db, { workspaceId: caller.workspaceId }),
    authorize: (): Context => {
      requireQuota(quota);
      return { db, caller, services: dependencies };
    },
  };
}

import { LIMITS } from "@minutes/contract";
import {
  authenticateIngest,
  BodyBudget,
  type IngestContext,
  ingestRouter,
  type RouteSet,
  requireQuota,
  toQuotaHeaders,
} from "@minutes/core";
import { createCredentialCheck, readAddress, readKeyHeader } from "./api-keys.js";
import type { AppServices } from "./services.js";

/** Deadline of an ingest call in ms: its bodies are a hundred times as long as those of `/v1`. */
const DEADLINE = 60_000;

/** Creates the routes of `/ingest/v1` for recorders' credentials. */
export const createIngestRoutes = (dependencies: AppServices): RouteSet => ({
  path: "/ingest/v1",
  router: ingestRouter,
  authenticate: async (request) => {
    const { db, ingestLimit, keyNetworks, summaries, recordingDays, requests } = dependencies;
    const check = createCredentialCheck(dependencies, request);
    const { caller, quota } = await authenticateIngest(db, readKeyHeader(request), ingestLimit, check);
    keyNetworks.record("ingest-key", caller.keyId, readAddress(request));
    requests.count(`ingest:${caller.workspaceId}`);
    return {
      headers: toQuotaHeaders(quota),
      holder: caller.workspaceId,
      authorize: (): IngestContext => {
        requireQuota(quota);
        return { db, caller, summaries, recordingDays };
      },
    };
  },
  limits: {
    deadline: DEADLINE,
    authenticationDeadline: dependencies.deadline,
    bodyBytes: LIMITS.ingestBodyBytes,
    bodies: new BodyBudget(LIMITS.ingestBytesAtOnce),
  },
});

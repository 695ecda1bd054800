import { LIMITS } from "@minutes/contract";
import { BodyBudget, getAccount, type RouteSet, requireQuota, toQuotaHeaders } from "@minutes/core";
import { type UploadContext, uploadRouter } from "../upload/router.js";
import type { RouteDependencies } from "./dependencies.js";
import { authenticateUser } from "./session.js";

/** Milliseconds until an upload is answered with 503: its bodies are long, as those of recorders. */
const DEADLINE = 60_000;

/** Describes `/upload/v1`: files that a signed-in person puts into the console. They count against the console's quota. */
export const describeUploadRoutes = (dependencies: RouteDependencies): RouteSet => ({
  path: "/upload/v1",
  router: uploadRouter,
  authenticate: async (request) => {
    const { db, summaries } = dependencies;
    const { user, quota } = await authenticateUser(dependencies, request, "console");
    const { email } = await getAccount(db, user.userId);
    return {
      headers: toQuotaHeaders(quota),
      holder: user.userId,
      context: (): UploadContext => {
        requireQuota(quota);
        return { db, uploader: { ...user, email }, summaries };
      },
    };
  },
  limits: {
    deadline: DEADLINE,
    bodyBytes: LIMITS.uploadBodyBytes,
    bodies: new BodyBudget(LIMITS.uploadBytesAtOnce),
  },
});

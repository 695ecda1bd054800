import { LIMITS } from "@minutes/contract";
import { BodyBudget, getAccount, type RouteSet, requireQuota, toQuotaHeaders } from "@minutes/core";
import { createDocumentParser, UPLOAD_LIMITS } from "../../operations/import/parse-in-thread.js";
import { uploadRouter } from "../upload/router.js";
import type { UploadContext } from "../upload/upload-file.js";
import type { AppServices } from "./services.js";
import { authenticateUser } from "./session.js";

/** Deadline of an upload in ms: its bodies are as long as those of recorders. */
const DEADLINE = 60_000;

/**
 * Creates the routes of `/upload/v1`: files that a signed-in user uploads in the console. They count against the
 * console's quota.
 */
export const createUploadRoutes = (dependencies: AppServices): RouteSet => {
  const parse = createDocumentParser(dependencies.uploadLimits ?? UPLOAD_LIMITS);
  return {
    path: "/upload/v1",
    router: uploadRouter,
    authenticate: async (request) => {
      const { db, summaries } = dependencies;
      const { user, quota } = await authenticateUser(dependencies, request, "console");
      const { email } = await getAccount(db, user.userId);
      return {
        headers: toQuotaHeaders(quota),
        holder: user.userId,
        authorize: (): UploadContext => {
          requireQuota(quota);
          return { db, uploader: { ...user, email }, summaries, parse };
        },
      };
    },
    limits: {
      deadline: DEADLINE,
      bodyBytes: LIMITS.uploadBodyBytes,
      bodies: new BodyBudget(LIMITS.uploadBytesAtOnce),
    },
  };
};

import * as contract from "@minutes/contract";
import { LIMITS } from "@minutes/contract";
import {
  BodyBudget,
  type Context,
  createRouter,
  implement,
  type RouteSet,
  requireQuota,
  toQuotaHeaders,
} from "@minutes/core";
import type { ParseDocument } from "../../operations/import/parse-in-thread.js";
import { createDocumentParser, UPLOAD_LIMITS } from "../../operations/import/parse-in-thread.js";
import type { AppServices } from "./services.js";
import { authenticateUser } from "./session.js";

/** Deadline of an upload in ms: its bodies are as long as those of recorders. */
const DEADLINE = 60_000;

/**
 * Creates the routes of `/upload/v1`: files that a signed-in user uploads in the console. They count against the
 * console's quota.
 */
export const createUploadRoutes = (dependencies: AppServices): RouteSet => {
  return {
    path: "/upload/v1",
    router: createUploadRouter(createDocumentParser(dependencies.uploadLimits ?? UPLOAD_LIMITS)),
    authenticate: async (request) => {
      const { user, quota } = await authenticateUser(dependencies, request, "console");
      return {
        headers: toQuotaHeaders(quota),
        holder: user.userId,
        authorize: (): Context => {
          requireQuota(quota);
          return { db: dependencies.db, caller: user, services: dependencies };
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

/** Loads the upload lazily: the parsers of captions and transcripts take memory that few servers need. */
const load = () => import("../upload/upload-file.js");

/** Creates the router of `/upload/v1/*`: files that a signed-in user uploads in the console. */
const createUploadRouter = (parse: ParseDocument) =>
  createRouter({
    files: {
      preview: implement(contract.previewFile, async ({ db, caller, input }) =>
        (await load()).previewFile(db, caller, input, parse),
      ),
      import: implement(contract.importFile, async ({ db, caller, services, input }) =>
        (await load()).importFile(db, caller, input, { parse, summaries: services.summaries }),
      ),
    },
  });

import { MESSAGES } from "@minutes/contract";
import { ApiError } from "@minutes/core";
import { countOutdated, reindexSome, setSearchLanguage } from "@minutes/search";
import { z } from "zod";
import { operation } from "./operation.js";

/** Meetings per step: short enough to report progress, and to leave the embedded engine to requests in between. */
const STEP = 5;

export const searchOperations = {
  /** How many meetings are to be indexed anew, in the given language if one is set. */
  "search.outdated": operation(
    z.strictObject({ language: z.string().optional() }),
    async ({ db }, { language }) => {
      if (language !== undefined && !(await setSearchLanguage(db, language)))
        throw new ApiError("BAD_REQUEST", MESSAGES.unknownSearchLanguage);
      return { outdated: await countOutdated(db) };
    },
  ),

  /** Indexes some of them. */
  "search.reindex": operation(z.strictObject({}), async ({ db }) => ({ done: await reindexSome(db, STEP) })),
};

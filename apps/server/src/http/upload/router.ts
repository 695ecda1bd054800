import * as contract from "@minutes/contract";
import { createRouter, implement } from "@minutes/core";
import type { ParseDocument } from "../../operations/import/parse-in-thread.js";

/** Loads the upload lazily: the parsers of captions and transcripts take memory that few servers need. */
const load = () => import("./upload-file.js");

/** Creates the router of `/upload/v1/*`: files that a signed-in user uploads in the console. */
export const createUploadRouter = (parse: ParseDocument) =>
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

import { UploadedFile, UploadReport } from "@minutes/contract";
import { createProcedureBuilders, type SummaryQueue } from "@minutes/core";
import type { Database } from "@minutes/db";
import type { Uploader } from "./upload-file.js";

/** What a procedure under `/upload/v1` receives. */
export interface UploadContext {
  readonly db: Database;
  readonly uploader: Uploader;
  readonly summaries: SummaryQueue;
}

const { procedure, router } = createProcedureBuilders<UploadContext>();

/** `/upload/v1/*`: files that a signed-in person puts into the console. */
export const uploadRouter = router({
  files: {
    import: procedure
      .input(UploadedFile)
      .output(UploadReport)
      .mutation(async ({ ctx, input }) => {
        // Loaded here: the readers of captions and transcripts take memory that few servers need.
        const { uploadFile } = await import("./upload-file.js");
        return uploadFile(ctx.db, ctx.uploader, input, ctx.summaries);
      }),
  },
});

import { UploadReport } from "@minutes/contract";
import { createProcedureBuilders, largeInput, type SummaryQueue } from "@minutes/core";
import type { Database } from "@minutes/db";
import type { Uploader } from "./upload-file.js";

/** Context of a procedure under `/upload/v1`. */
export interface UploadContext {
  readonly db: Database;
  readonly uploader: Uploader;
  readonly summaries: SummaryQueue;
}

const { procedure, router } = createProcedureBuilders<UploadContext>();

/** `/upload/v1/*`: files that a signed-in user uploads in the console. */
export const uploadRouter = router({
  files: {
    import: procedure
      .input(largeInput("UploadedFile"))
      .output(UploadReport)
      .mutation(async ({ ctx, input }) => {
        // Loaded lazily: the parsers of captions and transcripts take memory that few servers need.
        const { uploadFile } = await import("./upload-file.js");
        return uploadFile(ctx.db, ctx.uploader, input, ctx.summaries);
      }),
  },
});

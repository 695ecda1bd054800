import { UploadReport } from "@minutes/contract";
import { createProcedureBuilders, largeInput } from "@minutes/core";
import type { UploadContext } from "./upload-file.js";

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
        return uploadFile(ctx, input);
      }),
  },
});

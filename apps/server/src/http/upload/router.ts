import { UploadPreview, UploadReport } from "@minutes/contract";
import { createProcedureBuilders, largeInput } from "@minutes/core";
import type { UploadContext } from "./upload-file.js";

const { procedure, router } = createProcedureBuilders<UploadContext>();

/** Loads the upload lazily: the parsers of captions and transcripts take memory that few servers need. */
const load = () => import("./upload-file.js");

/** `/upload/v1/*`: files that a signed-in user uploads in the console. */
export const uploadRouter = router({
  files: {
    preview: procedure
      .input(largeInput("UploadedFile"))
      .output(UploadPreview)
      .mutation(async ({ ctx, input }) => (await load()).previewFile(ctx, input)),
    import: procedure
      .input(largeInput("UploadedFile"))
      .output(UploadReport)
      .mutation(async ({ ctx, input }) => (await load()).uploadFile(ctx, input)),
  },
});

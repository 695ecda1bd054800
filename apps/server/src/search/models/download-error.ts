import { ExplainedError } from "@minutes/db";

/** A download that failed; the message names the file and says what to do. */
export class DownloadError extends ExplainedError {
  override name = "DownloadError";
}

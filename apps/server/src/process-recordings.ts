import {
  createChatSummariser,
  type Processing,
  type SummaryQueue,
  startRecordingWorker,
} from "@minutes/core";
import type { Database } from "@minutes/db";
import type { Logger } from "pino";
import type { Env } from "./env.js";

/**
 * Starts the worker that completes waiting recordings, with the summariser that the settings name, if any. It runs
 * without one too: what waits since before it was turned off is completed without a summary.
 */
export function startRecordingProcessor(
  env: Env,
  db: Database,
  log: Logger,
): { worker: Processing; summaries: SummaryQueue } {
  const { SUMMARISER_URL: url, SUMMARISER_MODEL: model, SUMMARISER_KEY: key } = env;
  const summariser = url && model ? createChatSummariser({ url, model, key }) : null;
  const worker = startRecordingWorker({
    db,
    summariser,
    recordingExpiryDays: env.RECORDING_DAYS,
    onFault: (fault) => log.warn({ fault }, "summary not made"),
  });
  return { worker, summaries: { enabled: summariser !== null, wake: worker.wake } };
}

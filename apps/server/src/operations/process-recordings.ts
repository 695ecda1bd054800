import {
  createChatSummariser,
  type Processing,
  type SummaryQueue,
  startRecordingWorker,
} from "@minutes/core";
import type { Database } from "@minutes/db";
import type { Logger } from "pino";
import type { Env } from "../config/env.js";

/**
 * Starts the worker that completes waiting recordings, with the configured summariser, if any. Without one, recordings
 * that still wait are completed without a summary.
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
    onFault: (fault) => log.warn({ fault }, "generating a summary failed"),
  });
  return { worker, summaries: { enabled: summariser !== null, wake: worker.wake } };
}

import {
  createChatSummariser,
  type Processing,
  type SummaryQueue,
  startRecordingWorker,
} from "@minutes/core";
import type { Database } from "@minutes/db";
import type { Logger } from "pino";
import type { Config } from "../config/config.js";

/**
 * Starts the worker that completes waiting recordings, with the configured summariser, if any. Without one, recordings
 * that still wait are completed without a summary.
 */
export function startRecordingProcessor(
  config: Config,
  db: Database,
  log: Logger,
): { worker: Processing; summaries: SummaryQueue } {
  const { SUMMARISER_URL: url, SUMMARISER_MODEL: model, SUMMARISER_KEY: key } = config;
  const summariser = url && model ? createChatSummariser({ url, model, key }) : null;
  const worker = startRecordingWorker({
    db,
    summariser,
    recordingDays: config.RECORDING_DAYS,
    onFault: (fault) =>
      log.warn({ fault }, summariser ? "generating a summary failed" : "completing recordings failed"),
  });
  return { worker, summaries: { enabled: summariser !== null, wake: worker.wake } };
}

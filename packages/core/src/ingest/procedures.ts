import type { Database } from "@minutes/db";
import type { RecorderCaller } from "../access/index.js";
import { createProcedureBuilders } from "../api/index.js";

/** The queue of recordings that were completed without a summary. */
export interface SummaryQueue {
  /** False: there is no summariser, and such recordings stay without a summary. */
  readonly enabled: boolean;
  /** Tells the worker that a recording is waiting. */
  wake(): void;
}

/** Context of every procedure under `/ingest/v1`. */
export interface IngestContext {
  readonly db: Database;
  readonly caller: RecorderCaller;
  readonly summaries: SummaryQueue;
  /** Days after its start within which a recording can be completed. */
  readonly recordingDays: number;
}

/** Builds procedures for ingest credentials only. */
export const { procedure: ingestProcedure, router: createIngestRouter } =
  createProcedureBuilders<IngestContext>();

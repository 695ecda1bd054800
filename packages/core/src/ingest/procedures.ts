import type { Database } from "@minutes/db";
import type { IngestCaller } from "../keys/index.js";
import { createProcedureBuilders } from "../trpc/index.js";

/** Recordings that were completed without a summary and wait for the summariser. */
export interface SummaryQueue {
  /** False: there is no summariser, and such recordings stay without a summary. */
  readonly enabled: boolean;
  /** Tells the worker that a recording waits. */
  wake(): void;
}

/** What every procedure under `/ingest/v1` receives. */
export interface IngestContext {
  readonly db: Database;
  readonly caller: IngestCaller;
  readonly summaries: SummaryQueue;
  /** Days after its start in which a recording may be completed. */
  readonly recordingExpiryDays: number;
}

/** Builds the procedures that only an ingest credential reaches. */
export const { procedure: ingestProcedure, router: createIngestRouter } =
  createProcedureBuilders<IngestContext>();

import { setTimeout as sleep } from "node:timers/promises";
import { BatchQueue } from "@minutes/background";
import type { Database } from "@minutes/db";
import type { PausePolicy } from "./backoff.js";
import { type AttemptResult, type AttemptToReport, recordAttempts } from "./record-attempts.js";

/** Delay in ms before retrying while the database is unavailable. */
const FAULT_PAUSE = 500;

/** Records results of attempts in batches. */
export class Recorder {
  readonly #queue: BatchQueue<AttemptResult, AttemptToReport | undefined>;
  #abandoned = false;

  constructor(db: Database, pause: PausePolicy, onFault: (error: unknown) => void) {
    this.#queue = new BatchQueue(async (results) => {
      for (;;) {
        try {
          const reported = await recordAttempts(db, results, pause);
          return results.map(({ id }) => reported.find(({ deliveryId }) => deliveryId === id));
        } catch (error) {
          if (this.#abandoned) throw error;
          onFault(error);
          await sleep(FAULT_PAUSE);
        }
      }
    });
  }

  /**
   * Records a result, retrying while the database is unavailable.
   * @returns the attempt, if somebody must be notified
   */
  record(result: AttemptResult): Promise<AttemptToReport | undefined> {
    return this.#queue.add(result);
  }

  /** Stops retrying: results that can't be recorded are rejected from now on. */
  abandon(): void {
    this.#abandoned = true;
  }
}

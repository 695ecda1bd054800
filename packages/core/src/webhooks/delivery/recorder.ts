import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "@minutes/db";
import {
  type AttemptResult,
  type AttemptToReport,
  type PausePolicy,
  recordAttempts,
} from "./record-attempts.js";

interface Waiting {
  readonly result: AttemptResult;
  readonly resolve: (reported: AttemptToReport | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export interface Recorder {
  /**
   * Records a result, and tries again while the database is away.
   * @returns the attempt, when it used up those of its delivery or of its webhook.
   */
  record(result: AttemptResult): Promise<AttemptToReport | undefined>;
  /** Ends the trying: results that can't be recorded are rejected from now on. */
  abandon(): void;
}

/** Milliseconds to wait when the database is away. */
const FAULT_PAUSE = 500;

/** Creates a recorder that writes in one statement all results that came while the last one ran. */
export function createRecorder(
  db: Database,
  pause: PausePolicy,
  onFault: (error: unknown) => void,
): Recorder {
  let waiting: Waiting[] = [];
  let busy = false;
  let abandoned = false;

  const write = async (batch: readonly Waiting[]) => {
    try {
      const reported = await recordAttempts(
        db,
        batch.map(({ result }) => result),
        pause,
      );
      for (const { result, resolve } of batch)
        resolve(reported.find(({ deliveryId }) => deliveryId === result.id));
    } catch (error) {
      if (abandoned) {
        for (const { reject } of batch) reject(error);
        return;
      }
      onFault(error);
      waiting = [...batch, ...waiting];
      await sleep(FAULT_PAUSE);
    }
  };
  const writeAll = async () => {
    busy = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      await write(batch);
    }
    busy = false;
  };
  return {
    record: (result) =>
      new Promise((resolve, reject) => {
        waiting.push({ result, resolve, reject });
        if (!busy) void writeAll();
      }),
    abandon: () => {
      abandoned = true;
    },
  };
}

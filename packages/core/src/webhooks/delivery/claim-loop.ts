import { startLoop } from "@minutes/background";
import type { Database } from "@minutes/db";
import { attemptDelivery } from "./attempt.js";
import { getRetryDelay } from "./backoff.js";
import {
  type ClaimedDelivery,
  type ClaimLimits,
  claimDeliveries,
  getMillisecondsUntilDue,
  releaseHeldDeliveries,
} from "./claim.js";
import { notifyFailure } from "./notify-failure.js";
import { pauseWebhook } from "./pause.js";
import { Recorder } from "./record-attempts.js";
import type { WorkerOptions } from "./worker-options.js";
import { writeDueEvents } from "./write-events.js";

type ClaimLoopOptions = WorkerOptions &
  Required<Pick<WorkerOptions, "concurrency" | "perWebhook" | "pause" | "lease">>;

/** Claims deliveries and sends them concurrently. */
interface ClaimLoop {
  /** Checks for due deliveries now. */
  wake(): void;
  /** Returns the deliveries being sent. */
  listSending(): ClaimedDelivery[];
  /** Stops claiming. Resolves when all deliveries being sent are recorded and failure e-mails are handed over. */
  stop(): Promise<void>;
  /** Stops retrying to record results while the database is unavailable. */
  abandon(): void;
}

/** Maximum bytes of content sent concurrently: a meeting can have 40 MB, and each is in memory several times. */
const BYTES = 128 * 1024 * 1024;
/** Minimum interval between claims in ms, so that one claim takes everything that becomes due in it. */
const CLAIM_PAUSE = 20;
/** Maximum interval between claims in ms: the delay of a delivery whose notification was lost. */
const LONGEST_SLEEP = 30_000;

/** The deliveries that a worker is sending, within its limits. */
class Sending {
  readonly #sending = new Map<string, { claim: ClaimedDelivery; done: Promise<void> }>();

  constructor(
    readonly concurrency: number,
    readonly perWebhook: number,
  ) {}

  add(claim: ClaimedDelivery, done: Promise<void>): void {
    this.#sending.set(claim.id, { claim, done });
  }

  /** Removes a delivery. @returns true if it kept others from being claimed */
  remove(claim: ClaimedDelivery): boolean {
    const { deliveries, sending } = this.getFree();
    // This worker may have claimed a delivery again after its lease expired: keep the later claim.
    if (this.#sending.get(claim.id)?.claim === claim) this.#sending.delete(claim.id);
    return deliveries <= 0 || (sending[claim.webhookId] ?? 0) >= this.perWebhook;
  }

  /** Returns how much more can be claimed now. */
  getFree(): ClaimLimits {
    const sending: Record<string, number> = {};
    let bytes = BYTES;
    for (const { claim } of this.#sending.values()) {
      sending[claim.webhookId] = (sending[claim.webhookId] ?? 0) + 1;
      bytes -= claim.data.length;
    }
    const deliveries = bytes > 0 ? this.concurrency - this.#sending.size : 0;
    return { deliveries, bytes, perWebhook: this.perWebhook, sending };
  }

  list(): ClaimedDelivery[] {
    return [...this.#sending.values()].map(({ claim }) => claim);
  }

  async finish(): Promise<void> {
    await Promise.all([...this.#sending.values()].map(({ done }) => done));
  }
}

/** Starts the loop that claims and sends due deliveries. */
export function startClaimLoop(options: ClaimLoopOptions): ClaimLoop {
  const { onFault, concurrency, perWebhook, lease, pause } = options;
  const { db } = options.connection;
  const sending = new Sending(concurrency, perWebhook);
  const mails = new Set<Promise<void>>();
  const recorder = new Recorder(db, pause, onFault);

  const startMail = (sent: Promise<void>) => {
    const mail = sent.catch(onFault).finally(() => mails.delete(mail));
    mails.add(mail);
  };

  const sendAndRecord = async (claim: ClaimedDelivery): Promise<void> => {
    const { id, claims } = claim;
    const attempt = (headers: Readonly<Record<string, string>> = {}) =>
      attemptDelivery(options, claim, headers);
    const outcome = await (options.traceDelivery ? options.traceDelivery(claim, attempt) : attempt());
    options.onAttempt?.(outcome);
    const nextAttemptIn = getRetryDelay(options.retryDelays, claim.attemptsSinceRedelivery + 1);
    const reported = await recorder.record({ id, claims, ...outcome, nextAttemptIn });
    if (reported?.deliveryFailed) {
      const { deliveryId, webhookId } = reported;
      options.onFailed?.({ deliveryId, webhookId });
      startMail(notifyFailure(db, options.notice, reported));
    }
    if (reported?.pauseWebhook) startMail(pauseWebhook(db, options.notice, claim.webhookId, pause));
    // The next attempt, or the next delivery in turn, may be due before anything else the loop waits for.
    if (outcome.error !== null || claim.catchingUp) loop.wake();
  };

  const startSending = (claim: ClaimedDelivery) => {
    const done = sendAndRecord(claim)
      // No attempt was recorded: the delivery is retried after its lease.
      .catch(onFault)
      .finally(() => {
        if (sending.remove(claim)) loop.wake();
      });
    sending.add(claim, done);
  };

  const loop = startLoop({
    onFault,
    minimumPause: CLAIM_PAUSE,
    step: async () => {
      const untilEvent = (await writeDueEvents(db, onFault)) ?? LONGEST_SLEEP;
      await releaseHeldDeliveries(db);
      const limits = sending.getFree();
      const claims = limits.deliveries > 0 ? await claimDeliveries(db, limits, lease) : [];
      for (const claim of claims) startSending(claim);
      if (sending.getFree().deliveries <= 0) return LONGEST_SLEEP;
      return claims.length > 0 ? CLAIM_PAUSE : Math.min(untilEvent, await pauseUntilDue(db, limits));
    },
  });

  return {
    wake: loop.wake,
    listSending: () => sending.list(),
    stop: async () => {
      await loop.stop();
      await sending.finish();
      await Promise.all(mails);
    },
    abandon: () => recorder.abandon(),
  };
}

async function pauseUntilDue(db: Database, limits: ClaimLimits): Promise<number> {
  const due = (await getMillisecondsUntilDue(db, limits)) ?? LONGEST_SLEEP;
  return Math.min(Math.max(due, CLAIM_PAUSE), LONGEST_SLEEP);
}

import { startLoop } from "@minutes/background";
import type { Database } from "@minutes/db";
import { attemptDelivery } from "./attempt.js";
import { getRetryDelay } from "./backoff.js";
import { type ClaimedDelivery, type ClaimLimits, claimDeliveries, getMillisecondsUntilDue } from "./claim.js";
import { notifyFailure } from "./notify-failure.js";
import { pauseWebhook } from "./pause.js";
import { createRecorder } from "./recorder.js";
import { releaseHeld } from "./release-held.js";
import type { WorkerOptions } from "./worker-options.js";
import { writeDueEvents } from "./write-events.js";

type ClaimLoopOptions = WorkerOptions &
  Required<Pick<WorkerOptions, "concurrency" | "perWebhook" | "retryDelays" | "lease" | "pause">>;

/** Claims deliveries and sends them, many at once. */
interface ClaimLoop {
  /** Looks for due deliveries now. */
  wake(): void;
  /** Returns the deliveries that are being sent. */
  listSending(): ClaimedDelivery[];
  /** Claims nothing more. Resolves when everything that was being sent is recorded and failure e-mails are handed over. */
  stop(): Promise<void>;
  /** Gives up recording results while the database is away. */
  abandon(): void;
}

/** Bytes of content that are sent at once: a meeting can have 40 MB, and each is held in memory several times. */
const BYTES = 128 * 1024 * 1024;
/** Milliseconds between two claims, so that one claim takes what becomes free meanwhile. */
const CLAIM_PAUSE = 20;
/** Milliseconds without a claim at most: the delay of a delivery whose notification was lost. */
const LONGEST_SLEEP = 30_000;

/** Starts the loop that claims due deliveries and sends them. */
export function startClaimLoop(options: ClaimLoopOptions): ClaimLoop {
  const { onFault, concurrency, perWebhook, lease, pause } = options;
  const { db } = options.connection;
  const sending = new Map<string, { claim: ClaimedDelivery; done: Promise<void> }>();
  const mails = new Set<Promise<void>>();
  const recorder = createRecorder(db, pause, onFault);

  const freeLimits = (): ClaimLimits => {
    const perWebhookNow: Record<string, number> = {};
    let bytes = BYTES;
    for (const { claim } of sending.values()) {
      perWebhookNow[claim.webhookId] = (perWebhookNow[claim.webhookId] ?? 0) + 1;
      bytes -= claim.data.length;
    }
    return {
      deliveries: bytes > 0 ? concurrency - sending.size : 0,
      bytes,
      perWebhook,
      sending: perWebhookNow,
    };
  };

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
    if (reported?.deliveryFailed) startMail(notifyFailure(db, options.notice, reported));
    if (reported?.pauseWebhook) startMail(pauseWebhook(db, options.notice, claim.webhookId, pause));
    // The next attempt, or the next delivery in turn, may be due before everything else that the loop waits for.
    if (outcome.error !== null || claim.catchingUp) loop.wake();
  };

  const startSending = (claim: ClaimedDelivery) => {
    const done = sendAndRecord(claim)
      // Nothing was counted: after its lease the delivery is tried again.
      .catch(onFault)
      .finally(() => {
        const limits = freeLimits();
        const wasFull = limits.deliveries <= 0 || (limits.sending[claim.webhookId] ?? 0) >= perWebhook;
        // A delivery whose lease ran out may have been claimed again by this worker: the later claim is kept.
        if (sending.get(claim.id)?.claim === claim) sending.delete(claim.id);
        if (wasFull) loop.wake();
      });
    sending.set(claim.id, { claim, done });
  };

  const loop = startLoop({
    onFault,
    minimumPause: CLAIM_PAUSE,
    step: async () => {
      const untilEvent = (await writeDueEvents(db, onFault)) ?? LONGEST_SLEEP;
      await releaseHeld(db);
      const limits = freeLimits();
      const claims = limits.deliveries > 0 ? await claimDeliveries(db, limits, lease) : [];
      for (const claim of claims) startSending(claim);
      if (freeLimits().deliveries <= 0) return LONGEST_SLEEP;
      return claims.length > 0 ? CLAIM_PAUSE : Math.min(untilEvent, await pauseUntilDue(db, limits));
    },
  });

  return {
    wake: loop.wake,
    listSending: () => [...sending.values()].map(({ claim }) => claim),
    stop: async () => {
      await loop.stop();
      await Promise.all([...sending.values()].map(({ done }) => done));
      await Promise.all(mails);
    },
    abandon: recorder.abandon,
  };
}

async function pauseUntilDue(db: Database, limits: ClaimLimits): Promise<number> {
  const due = (await getMillisecondsUntilDue(db, limits)) ?? LONGEST_SLEEP;
  return Math.min(Math.max(due, CLAIM_PAUSE), LONGEST_SLEEP);
}

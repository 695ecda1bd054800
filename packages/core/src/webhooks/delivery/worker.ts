import { startHeartbeat } from "@minutes/background";
import { withTimeout } from "@minutes/db";
import { DEFAULT_RETRY_DELAYS } from "./backoff.js";
import { renewDeliveries } from "./claim.js";
import { startClaimLoop } from "./claim-loop.js";
import { LOG_DAYS, startHousekeeping } from "./housekeeping.js";
import { listenForDeliveries } from "./listen.js";
import { PAUSE_POLICY } from "./record-attempts.js";
import type { WorkerOptions } from "./worker-options.js";

export interface DeliveryWorker {
  /** Claims nothing more and waits for what is being sent. Resolves within 35 seconds. */
  stop(): Promise<void>;
}

const CONCURRENCY = 64;
const PER_WEBHOOK = 8;
const LEASE_SECONDS = 15;
/** Milliseconds for what is being sent when the worker stops: the time limit of an attempt, and time to record it. */
const STOP_TIMEOUT = 33_000;

/**
 * Sends due deliveries until it is stopped. Any number of workers may run on one database.
 * @see docs/open-questions.md#q18
 * @see docs/open-questions.md#q19
 */
export function startDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { connection, keyring, sender, onFault, lease = LEASE_SECONDS, logDays = LOG_DAYS } = options;
  const { db } = connection;
  const claimLoop = startClaimLoop({
    concurrency: CONCURRENCY,
    perWebhook: PER_WEBHOOK,
    retryDelays: DEFAULT_RETRY_DELAYS,
    pause: PAUSE_POLICY,
    ...options,
    lease,
  });
  const renew = () => renewDeliveries(db, claimLoop.listSending(), lease);
  const stopHeartbeat = startHeartbeat(renew, lease, onFault);
  const housekeeping = startHousekeeping({ db, keyring, logDays, mailer: options.notice.mailer, onFault });
  const stopListening = listenForDeliveries(connection, claimLoop.wake, onFault);

  const stop = async () => {
    await withTimeout(Promise.all([claimLoop.stop(), housekeeping.stop()]), STOP_TIMEOUT, () => {});
    claimLoop.abandon();
    await stopHeartbeat();
    await renewDeliveries(db, claimLoop.listSending(), 0).catch(onFault);
    await sender.close();
    await stopListening().catch(onFault);
  };
  return { stop };
}

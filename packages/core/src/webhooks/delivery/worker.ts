import { startHeartbeat, startLoop } from "@minutes/background";
import type { Connection } from "@minutes/db";
import { withTimeout } from "@minutes/db";
import { DELIVERIES_CHANNEL } from "../../events/index.js";
import type { PausePolicy } from "./backoff.js";
import { renewDeliveries } from "./claim.js";
import { startClaimLoop } from "./claim-loop.js";
import { startHousekeeping } from "./housekeeping.js";
import type { WorkerOptions } from "./worker-options.js";

export interface DeliveryWorker {
  /** Stops claiming and waits for deliveries being sent. Resolves within 35 seconds. */
  stop(): Promise<void>;
}

const CONCURRENCY = 64;
const PER_WEBHOOK = 8;
const PAUSE: PausePolicy = { failures: 10, hours: 24 };
const LEASE_SECONDS = 15;
/** Timeout in ms for deliveries in flight when the worker stops: the timeout of an attempt, plus time to record it. */
const STOP_TIMEOUT = 33_000;

/**
 * Sends due deliveries until it is stopped. Any number of workers can share a database.
 * @see docs/open-questions.md#q18
 * @see docs/open-questions.md#q19
 */
export function startDeliveryWorker(options: WorkerOptions): DeliveryWorker {
  const { connection, keyring, sender, onFault, lease = LEASE_SECONDS, logDays } = options;
  const { db } = connection;
  const claimLoop = startClaimLoop({
    concurrency: CONCURRENCY,
    perWebhook: PER_WEBHOOK,
    pause: PAUSE,
    ...options,
    lease,
  });
  const renew = () => renewDeliveries(db, claimLoop.listSending(), lease);
  const stopHeartbeat = startHeartbeat(renew, lease, onFault);
  const { mailer } = options.notice;
  const longestDelay = Math.max(lease, ...options.retryDelays);
  const housekeeping = startHousekeeping({
    ...{ db: connection.background, keyring, logDays, longestDelay, mailer, onFault },
    onDamaged: options.onDamagedSecrets,
  });
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

/**
 * Calls `wake` for new deliveries, and keeps retrying to listen while the database is unavailable.
 * @returns a function that stops it
 */
function listenForDeliveries(
  connection: Connection,
  wake: () => void,
  onFault: (error: unknown) => void,
): () => Promise<void> {
  let stopListening: (() => Promise<void>) | undefined;
  const loop = startLoop({
    onFault,
    step: async () => {
      stopListening ??= await connection.listen(DELIVERIES_CHANNEL, wake);
      return Number.POSITIVE_INFINITY;
    },
  });
  return async () => {
    await loop.stop();
    await stopListening?.();
  };
}

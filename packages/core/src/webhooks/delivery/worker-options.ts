import type { Connection } from "@minutes/db";
import type { Keyring } from "../keyring.js";
import type { RetryDelays } from "./backoff.js";
import type { FailureNotice } from "./notify-failure.js";
import type { PausePolicy } from "./record-attempts.js";
import type { AttemptOutcome, Sender } from "./send.js";
import type { DeliveryTracer } from "./tracer.js";

export interface WorkerOptions {
  readonly connection: Connection;
  readonly keyring: Keyring;
  /** Closed by the worker when it stops. */
  readonly sender: Sender;
  readonly notice: FailureNotice;
  /** Called with faults of this process or its database, not with failures of receivers. */
  readonly onFault: (error: unknown) => void;
  /** Called with the result of each attempt. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
  /** Follows each attempt; nobody does when absent. */
  readonly traceDelivery?: DeliveryTracer | undefined;
  readonly retryDelays?: RetryDelays;
  /** Deliveries that this worker sends at once. */
  readonly concurrency?: number;
  /** Of these, deliveries to one webhook. */
  readonly perWebhook?: number;
  /** When a webhook that fails is paused. */
  readonly pause?: PausePolicy;
  /** Days that the delivery log is kept. */
  readonly logDays?: number;
  /** Seconds after which other workers take over the deliveries of a worker that died. */
  readonly lease?: number;
  /** This machine's clock in Unix milliseconds, which signatures carry. */
  readonly now?: () => number;
}

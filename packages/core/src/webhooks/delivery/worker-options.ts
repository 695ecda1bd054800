import type { Connection } from "@minutes/db";
import type { Keyring } from "../../lib/keyring.js";
import type { PausePolicy, RetryDelays } from "./backoff.js";
import type { ClaimedDelivery } from "./claim.js";
import type { FailureNotice } from "./notify-failure.js";
import type { DeliveryReference } from "./record-attempts.js";
import type { DamagedSecrets } from "./rotate-secrets.js";
import type { AttemptOutcome, Sender } from "./send.js";

/**
 * Traces a delivery attempt. Calls `attempt` once with headers for the receiver, and returns its outcome. The
 * delivery's own headers take precedence.
 */
export type DeliveryTracer = (
  delivery: Pick<ClaimedDelivery, "id" | "webhookId" | "event">,
  attempt: (headers: Readonly<Record<string, string>>) => Promise<AttemptOutcome>,
) => Promise<AttemptOutcome>;

export interface WorkerOptions {
  readonly connection: Connection;
  readonly keyring: Keyring;
  /** Closed by the worker when it stops. */
  readonly sender: Sender;
  readonly notice: FailureNotice;
  /** Returns the URL of this installation, for links in messages to chats. */
  readonly publicUrl: () => string;
  /** Called with faults of this process or its database, not with failures of receivers. */
  readonly onFault: (error: unknown) => void;
  /** Called each hour for secrets that can't be decrypted with their key. */
  readonly onDamagedSecrets?: (damaged: DamagedSecrets) => void;
  /** Called with the result of each attempt. */
  readonly onAttempt?: ((outcome: AttemptOutcome) => void) | undefined;
  /** Called with each delivery that has used up its attempts. */
  readonly onFailed?: ((failed: DeliveryReference) => void) | undefined;
  /** Traces each attempt, if present. */
  readonly traceDelivery?: DeliveryTracer | undefined;
  readonly retryDelays: RetryDelays;
  /** Maximum concurrent deliveries of this worker; 64 by default. */
  readonly concurrency?: number;
  /** Maximum concurrent deliveries per webhook; 8 by default. */
  readonly perWebhook?: number;
  /** When to pause a failing webhook: after 10 failures over 24 hours by default. */
  readonly pause?: PausePolicy;
  /** Days that the delivery log is kept. */
  readonly logDays: number;
  /** Lease of a delivery in seconds, 15 by default. When it expires, another worker takes over. */
  readonly lease?: number;
  /** This machine's clock in Unix ms, used in signatures. */
  readonly now?: () => number;
}

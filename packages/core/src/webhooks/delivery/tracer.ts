import type { ClaimedDelivery } from "./claim.js";
import type { AttemptOutcome } from "./send.js";

/**
 * Follows an attempt at a delivery. It calls `attempt` once, with headers for the receiver, and returns its outcome. A
 * delivery's own headers win over these.
 */
export type DeliveryTracer = (
  delivery: Pick<ClaimedDelivery, "id" | "webhookId" | "event">,
  attempt: (headers: Readonly<Record<string, string>>) => Promise<AttemptOutcome>,
) => Promise<AttemptOutcome>;

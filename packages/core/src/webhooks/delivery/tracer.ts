import type { ClaimedDelivery } from "./claim.js";
import type { AttemptOutcome } from "./send.js";

/**
 * Traces a delivery attempt. Calls `attempt` once with headers for the receiver, and returns its outcome. The
 * delivery's own headers take precedence.
 */
export type DeliveryTracer = (
  delivery: Pick<ClaimedDelivery, "id" | "webhookId" | "event">,
  attempt: (headers: Readonly<Record<string, string>>) => Promise<AttemptOutcome>,
) => Promise<AttemptOutcome>;

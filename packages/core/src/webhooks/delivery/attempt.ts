import type { ClaimedDelivery } from "./claim.js";
import { toDeliveryBody } from "./payload.js";
import type { AttemptOutcome } from "./send.js";
import { toAuthHeaders } from "./sign.js";
import type { WorkerOptions } from "./worker-options.js";

/** Makes one attempt: decrypts the secret, writes and signs the body, and sends it. */
export async function attemptDelivery(
  { keyring, sender, now = Date.now }: Pick<WorkerOptions, "keyring" | "sender" | "now">,
  claim: ClaimedDelivery,
): Promise<AttemptOutcome> {
  const { id, url, method, headerName, secretKeyId, secret: sealed } = claim;
  const secret = keyring.decrypt({ secretKeyId, secret: sealed }, claim.webhookId);
  const body = toDeliveryBody(id, claim.created, claim.data);
  return sender.send({
    url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Minutes-Webhooks/1",
      "service-event": "meeting.completed",
      "service-delivery": id,
      ...toAuthHeaders({ method, headerName, secret }, body, Math.floor(now() / 1000)),
    },
  });
}

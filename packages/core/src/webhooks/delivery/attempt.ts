import type { ClaimedDelivery } from "./claim.js";
import { bodyOf } from "./payload.js";
import type { Outcome } from "./send.js";
import { authHeaders } from "./sign.js";
import type { WorkerOptions } from "./worker-options.js";

/** Makes one attempt: decrypts the secret, writes and signs the body, and sends it. */
export async function attemptDelivery(
  { keyring, sender, now = Date.now }: Pick<WorkerOptions, "keyring" | "sender" | "now">,
  claim: ClaimedDelivery,
): Promise<Outcome> {
  const { id, url, method, headerName, secretKeyId, secret: sealed } = claim;
  const secret = keyring.open({ secretKeyId, secret: sealed }, claim.webhookId);
  const body = bodyOf(id, claim.created, claim.data);
  return sender.send({
    url,
    body,
    headers: {
      "content-type": "application/json",
      "user-agent": "Minutes-Webhooks/1",
      "service-event": "meeting.completed",
      "service-delivery": id,
      ...authHeaders({ method, headerName, secret }, body, Math.floor(now() / 1000)),
    },
  });
}

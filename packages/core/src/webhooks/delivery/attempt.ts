import { toHeaderNames, type WebhookEventName } from "@minutes/contract";
import { writeBody } from "./chat.js";
import type { ClaimedDelivery } from "./claim.js";
import { tryDecrypt } from "./rotate-secrets.js";
import type { AttemptOutcome } from "./send.js";
import { toAuthHeaders } from "./sign.js";
import type { WorkerOptions } from "./worker-options.js";

/** Makes one attempt: decrypts the secret, builds and signs the body, and sends it with `extraHeaders`. */
export async function attemptDelivery(
  {
    keyring,
    sender,
    publicUrl,
    now = Date.now,
  }: Pick<WorkerOptions, "keyring" | "sender" | "publicUrl" | "now">,
  claim: ClaimedDelivery,
  extraHeaders: Readonly<Record<string, string>> = {},
): Promise<AttemptOutcome> {
  const { id, url } = claim;
  const secret = keyring.decrypt(claim, claim.webhookId);
  // Old secrets that can't be decrypted are skipped: the current secret signs.
  const oldSecrets = claim.oldSecrets.flatMap((old) => tryDecrypt(keyring, old, claim.webhookId) ?? []);
  const body = writeBody(claim, publicUrl());
  return sender.send({
    url,
    body,
    headers: {
      ...extraHeaders,
      ...toRequestHeaders(claim.headerPrefix, claim.event, id),
      ...toAuthHeaders({ ...claim, secret, oldSecrets }, body, Math.floor(now() / 1000)),
    },
  });
}

/** Returns the headers of a delivery that are the same in every attempt: all but the one that authenticates it. */
export function toRequestHeaders(prefix: string | null, event: WebhookEventName, deliveryId: string) {
  const names = toHeaderNames(prefix);
  return {
    "content-type": "application/json",
    "user-agent": "Minutes-Webhooks/1",
    [names.event]: event,
    [names.delivery]: deliveryId,
  };
}

import { createHmac } from "node:crypto";
import { API_KEY_HEADER, SIGNATURE_HEADER, type WebhookMethod } from "@minutes/contract";

/** How a webhook's receiver tells that a delivery is ours. */
export interface Credential {
  readonly method: WebhookMethod;
  /** With the method `api-key`. */
  readonly headerName: string | null;
  /** The whole secret, as it was shown. */
  readonly secret: string;
}

/**
 * `t=<unix_seconds>,v0=<hex>`: the HMAC-SHA256 of `<t>.<body>`, keyed with the UTF-8 bytes of the whole secret.
 * @see docs/specification.md#webhook-deliveries-how-the-receiver-checks-them
 * @see docs/open-questions.md#q17
 */
export function signature(secret: string, body: string, unixSeconds: number): string {
  const hex = createHmac("sha256", secret).update(`${unixSeconds}.${body}`, "utf8").digest("hex");
  return `t=${unixSeconds},v0=${hex}`;
}

/** The header that proves where a delivery comes from; a signature is made anew for each attempt. */
export function proof({ method, headerName, secret }: Credential, body: string, unixSeconds: number) {
  return method === "signature"
    ? { [SIGNATURE_HEADER]: signature(secret, body, unixSeconds) }
    : { [headerName ?? API_KEY_HEADER]: secret };
}

import { createHmac } from "node:crypto";
import { API_KEY_HEADER, SIGNATURE_HEADER, type WebhookMethod } from "@minutes/contract";

/** What proves to a receiver that a delivery comes from this service. */
export interface Credential {
  readonly method: WebhookMethod;
  /** With the method `api-key`. */
  readonly headerName: string | null;
  /** The whole secret, as it was shown. */
  readonly secret: string;
}

/**
 * Signs a body: `t=<unix_seconds>,v0=<hex>`: the HMAC-SHA256 of `<t>.<body>`, keyed with the UTF-8 bytes of the whole secret.
 * @see docs/specification.md#webhook-deliveries-how-the-receiver-checks-them
 * @see docs/open-questions.md#q17
 */
export function signBody(secret: string, body: string, unixSeconds: number): string {
  const hex = createHmac("sha256", secret).update(`${unixSeconds}.${body}`, "utf8").digest("hex");
  return `t=${unixSeconds},v0=${hex}`;
}

/** Returns the header that authenticates a delivery. Each attempt has a fresh signature. */
export function toAuthHeaders({ method, headerName, secret }: Credential, body: string, unixSeconds: number) {
  return method === "signature"
    ? { [SIGNATURE_HEADER]: signBody(secret, body, unixSeconds) }
    : { [headerName ?? API_KEY_HEADER]: secret };
}

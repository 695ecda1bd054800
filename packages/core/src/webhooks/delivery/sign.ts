import { createHmac } from "node:crypto";
import { toAuthHeaderName, type WebhookMethod } from "@minutes/contract";

/** What proves to a receiver that a delivery comes from this service. */
export interface Credential {
  readonly method: WebhookMethod;
  /** Null: the method's usual one. */
  readonly headerName: string | null;
  /** The whole secret, as it was shown. */
  readonly secret: string;
  /** With the method `signature`: secrets that were replaced and still sign. */
  readonly oldSecrets: readonly string[];
}

/**
 * Signs a body: `t=<unix_seconds>,v0=<hex>`: the HMAC-SHA256 of `<t>.<body>`, keyed with the UTF-8 bytes of the whole
 * secret. Each further secret adds its `,v0=<hex>`.
 * @see docs/specification.md#webhook-deliveries-how-the-receiver-checks-them
 * @see docs/open-questions.md#q17
 */
export function signBody(
  secret: string,
  body: string,
  unixSeconds: number,
  oldSecrets: readonly string[] = [],
): string {
  const message = `${unixSeconds}.${body}`;
  const signatures = [secret, ...oldSecrets].map(
    (key) => `v0=${createHmac("sha256", key).update(message, "utf8").digest("hex")}`,
  );
  return [`t=${unixSeconds}`, ...signatures].join(",");
}

/** Returns the header that authenticates a delivery. Each attempt has a fresh signature. */
export function toAuthHeaders(credential: Credential, body: string, unixSeconds: number) {
  const { method, secret, oldSecrets } = credential;
  const value = method === "signature" ? signBody(secret, body, unixSeconds, oldSecrets) : secret;
  return { [toAuthHeaderName(credential)]: value };
}

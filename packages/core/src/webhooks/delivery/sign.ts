import { createHmac } from "node:crypto";
import { toAuthHeaderName, type WebhookMethod } from "@minutes/contract";

/** How a delivery proves to the receiver that it comes from this service. */
export interface Credential {
  readonly method: WebhookMethod;
  /** Null: the method's default. */
  readonly headerName: string | null;
  /** The whole secret as displayed at creation. */
  readonly secret: string;
  /** For the method `signature`: replaced secrets that are still valid. */
  readonly oldSecrets: readonly string[];
}

/**
 * Signs a body: `t=<unix_seconds>,v0=<hex>` is the HMAC-SHA256 of `<t>.<body>`, keyed with the UTF-8 bytes of the whole
 * secret. Each further secret adds another `,v0=<hex>`.
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

/** Returns the header that authenticates a delivery. Each attempt has a new signature. */
export function toAuthHeaders(credential: Credential, body: string, unixSeconds: number) {
  const { method, secret, oldSecrets } = credential;
  const value = method === "signature" ? signBody(secret, body, unixSeconds, oldSecrets) : secret;
  return { [toAuthHeaderName(credential)]: value };
}

import { MESSAGES } from "@minutes/contract";
import { ApiError } from "../lib/errors.js";
import type { TargetPolicy } from "../lib/http/target-policy.js";
import type { Keyring } from "../lib/keyring.js";

/** Dependencies of webhook management other than the database. */
export interface WebhookServices {
  /** Null: no key for secrets is configured, so there are no webhooks. */
  readonly keyring: Keyring | null;
  readonly targetPolicy: TargetPolicy;
}

/**
 * Returns the keyring that encrypts secrets.
 * @throws ApiError 412 if no key for secrets is configured
 */
export function requireKeyring({ keyring }: WebhookServices): Keyring {
  if (!keyring) throw new ApiError("PRECONDITION_FAILED", MESSAGES.webhooksNeedSecretsKey);
  return keyring;
}

import { MESSAGES } from "@minutes/contract";
import { ApiError } from "../errors.js";
import type { AddressGuard } from "./delivery/guard.js";
import type { Keyring } from "./keyring.js";

/** What managing webhooks needs besides the database. */
export interface WebhookSettings {
  /** Null: the installation has no key for secrets, and so no webhooks. */
  readonly keyring: Keyring | null;
  readonly guard: AddressGuard;
}

/**
 * Returns the keyring that encrypts secrets.
 * @throws ApiError 412 when the installation has no key for secrets.
 */
export function requireKeyring({ keyring }: WebhookSettings): Keyring {
  if (!keyring) throw new ApiError("PRECONDITION_FAILED", MESSAGES.webhooksNeedSecretsKey);
  return keyring;
}

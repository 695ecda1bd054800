import { MESSAGES } from "@minutes/contract";
import { ApiError } from "../errors.js";
import type { Guard } from "./guard.js";
import type { Keyring } from "./secrets.js";

/** What webhooks need besides the database. */
export interface WebhookSettings {
  /** Null: the installation has no key for secrets, and so no webhooks. */
  readonly keyring: Keyring | null;
  readonly guard: Guard;
}

/** @throws ApiError 412 when the installation has no key for secrets. */
export function requireKeyring({ keyring }: WebhookSettings): Keyring {
  if (!keyring) throw new ApiError("PRECONDITION_FAILED", MESSAGES.webhooksNeedSecretsKey);
  return keyring;
}

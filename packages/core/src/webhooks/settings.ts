/** What settings need to know about webhooks. Loads nothing else, so that commands start quickly. */
export { DEFAULT_RETRY_DELAYS, PAUSE_POLICY, RETRIES } from "./delivery/backoff.js";
export { parseNetwork } from "./delivery/network.js";
export { parseSecretsKey } from "./keyring.js";

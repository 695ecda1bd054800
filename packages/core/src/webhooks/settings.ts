/** What settings need to know about webhooks. Loads nothing else, so that commands start quickly. */
export { RETRIES } from "./delivery/backoff.js";
export { parseNetwork } from "./delivery/network.js";
export { parseSecretsKey } from "./keyring.js";

/** What settings need to know about webhooks. Loads nothing else, so that commands start quickly. */

export { parseNetwork } from "../lib/http/network.js";
export { parseSecretsKey } from "../lib/keyring.js";
export { RETRIES } from "./delivery/backoff.js";

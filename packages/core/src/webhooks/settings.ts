/** What settings need to know about webhooks. Loads nothing else, so that commands start quickly. */

export { parseNetwork } from "../lib/http/network.js";
export { RETRIES } from "./delivery/backoff.js";
export { parseSecretsKey } from "./keyring.js";

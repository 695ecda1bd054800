import { readEnv } from "../env.js";
import { toServerUrl } from "../server-url.js";

/** Returns the address of the server that the settings name. */
export function getConfiguredUrl(): string {
  const { HOST, PORT } = readEnv(process.env);
  return toServerUrl(HOST, PORT);
}

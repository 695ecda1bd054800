import { readEnv } from "../env.js";
import { serverUrl } from "../server-url.js";

/** Returns the address of the server that the settings name. */
export function configuredUrl(): string {
  const { HOST, PORT } = readEnv(process.env);
  return serverUrl(HOST, PORT);
}

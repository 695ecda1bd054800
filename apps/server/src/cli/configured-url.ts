import { readEnv } from "../env.js";
import { serverUrl } from "../server-url.js";

/** Where the server is, as far as the settings tell. */
export function configuredUrl(): string {
  const { HOST, PORT } = readEnv(process.env);
  return serverUrl(HOST, PORT);
}

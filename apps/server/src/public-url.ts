import type { Env } from "./env.js";
import { toServerUrl } from "./server-url.js";

/** Where people reach the installation. Links, cookies and e-mails use it, never the `Host` of a request. */
export interface PublicUrl {
  /** Returns an origin such as `https://minutes.example.com`. */
  get(): string;
  /** Takes the address that the server listens on, unless `PUBLIC_URL` names another. */
  setListeningAddress(address: string, port: number): void;
}

/** Creates it from the settings. Without `PUBLIC_URL`, it follows the address that the server listens on. */
export function createPublicUrl(env: Pick<Env, "PUBLIC_URL" | "HOST" | "PORT">): PublicUrl {
  let url = env.PUBLIC_URL ?? toServerUrl(env.HOST, env.PORT);
  return {
    get: () => url,
    setListeningAddress: (address, port) => {
      url = env.PUBLIC_URL ?? toServerUrl(address, port);
    },
  };
}

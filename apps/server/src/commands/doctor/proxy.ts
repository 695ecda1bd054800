import type { Config } from "../../config/config.js";
import { toServerUrl } from "../../config/public-url.js";
import { type Check, warn } from "./check.js";

/** Warns if a running server receives `X-Forwarded-For` without TRUST_PROXY. */
export async function checkProxy({ HOST, PORT }: Pick<Config, "HOST" | "PORT">): Promise<Check[]> {
  const ready = await fetch(`${toServerUrl(HOST, PORT)}/ready`, { signal: AbortSignal.timeout(2_000) })
    .then((response) => response.json() as Promise<{ forwardedFor?: unknown }>)
    .catch(() => null);
  if (ready?.forwardedFor !== "ignored") return [];
  return [
    warn(
      "Proxy",
      "requests have X-Forwarded-For, which is ignored, so all clients share one address and its limits: if there is a proxy in front of this server, set TRUST_PROXY.",
    ),
  ];
}

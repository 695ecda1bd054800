import { createGuardedConnector } from "./guarded-connector.js";
import type { TargetPolicy } from "./target-policy.js";

/**
 * Creates an HTTP client that connects only to addresses allowed by the policy, over HTTPS, without redirects. Loads the
 * library lazily: most processes never need it.
 * @param extraCa PEM certificates trusted in addition to the well-known ones
 */
export async function createGuardedClient(targetPolicy: TargetPolicy, extraCa: string | undefined) {
  // In the bundle, CommonJS modules only have a default export.
  const { default: undici } = await import("undici");
  const agent = new undici.Agent({
    connect: createGuardedConnector(targetPolicy, extraCa),
    // These timeouts restart with each byte. Callers pass a signal, which stops a slow drip.
    headersTimeout: 0,
    bodyTimeout: 0,
    pipelining: 1,
  });
  return { request: undici.request, agent };
}

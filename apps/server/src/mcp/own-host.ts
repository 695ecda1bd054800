import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "@minutes/core";

/** Returns true for hosts that another site's page can't resolve to this machine, so they need no list. */
const isSafeHost = (name: string): boolean =>
  isIP(name.replace(/^\[|\]$/g, "")) !== 0 || name === "localhost" || name.endsWith(".localhost");

/**
 * Refuses requests that another site's page makes through a browser. Such a page sends its own `Origin`, and with DNS
 * rebinding its own name as `Host`.
 * @param origins origins of this installation and of pages that can use it
 * @throws ApiError 403
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#security-warning
 */
export function requireOwnHost({ headers }: IncomingMessage, origins: readonly string[]): void {
  const { host = "", origin } = headers;
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : null;
  const isOwn =
    url !== null && (isSafeHost(url.hostname) || origins.some((one) => new URL(one).host === url.host));
  if (!isOwn) {
    throw new ApiError(
      "FORBIDDEN",
      "This Host is not an address of this service. Set PUBLIC_URL to the service's URL.",
    );
  }
  if (origin === undefined || origins.includes(origin)) return;
  if (origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new ApiError("FORBIDDEN", "Pages of this origin can't use this endpoint.");
  }
}

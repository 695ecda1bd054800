import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "@minutes/core";

/** Hosts that a page of another site can't make lead here, so that no list of them is needed. */
const isSafeHost = (name: string): boolean =>
  isIP(name.replace(/^\[|\]$/g, "")) !== 0 || name === "localhost" || name.endsWith(".localhost");

/**
 * Refuses requests that a page of another site makes through somebody's browser. Such a page sends its own `Origin`;
 * with DNS rebinding it also sends its own name as `Host`.
 * @param origins Origins of this installation and of pages that may use it.
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
      "This Host is not an address of this service. Set PUBLIC_URL to its address.",
    );
  }
  if (origin === undefined || origins.includes(origin)) return;
  if (origin !== `http://${host}` && origin !== `https://${host}`) {
    throw new ApiError("FORBIDDEN", "Pages of this origin may not use this endpoint.");
  }
}

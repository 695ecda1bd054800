import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ApiError } from "@minutes/core";

/** A name or an address with an optional port; `Host` has neither a user nor a path. */
const HOST = /^(\[[\da-f:.]+\]|[\w.-]+)(?::\d{1,5})?$/i;

/** Returns true for hosts that another site's page can't resolve to this machine, so they need no list. */
const isSafeHost = (name: string): boolean =>
  isIP(name.replace(/^\[|\]$/g, "")) !== 0 || /^(?:.+\.)?localhost$/i.test(name);

const toOrigin = (protocol: string, host: string): string => new URL(`${protocol}//${host}`).origin;

/** The addresses of an installation. */
interface Addresses {
  /** Origins of this installation and of pages that can use it. */
  readonly origins: readonly string[];
  readonly publicUrl: () => string;
}

/**
 * Refuses requests that another site's page makes through a browser. Such a page sends its own `Origin`, and with DNS
 * rebinding its own name as `Host`.
 * @throws ApiError 403
 * @see https://modelcontextprotocol.io/specification/2025-06-18/basic/transports#security-warning
 */
export function requireOwnHost({ headers }: IncomingMessage, { origins, publicUrl }: Addresses): void {
  const { host = "", origin } = headers;
  const name = HOST.exec(host)?.[1];
  const isOwn =
    name !== undefined &&
    URL.canParse(`http://${host}`) &&
    (isSafeHost(name) || origins.some((one) => toOrigin(new URL(one).protocol, host) === one));
  if (!isOwn) {
    throw new ApiError(
      "FORBIDDEN",
      "This Host is not an address of this service. Set PUBLIC_URL to the service's URL.",
    );
  }
  if (origin === undefined || origins.includes(origin)) return;
  if (origin !== toOrigin(new URL(publicUrl()).protocol, host)) {
    throw new ApiError("FORBIDDEN", "Pages of this origin can't use this endpoint.");
  }
}

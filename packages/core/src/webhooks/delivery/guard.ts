import type { LookupAddress } from "node:dns";
import { isIP } from "node:net";
import { MESSAGES } from "@minutes/contract";
import { withTimeout } from "@minutes/db";
import ipaddr from "ipaddr.js";
import { ApiError } from "../../errors.js";
import { resolveName } from "./resolve.js";

/** An address that deliveries may not go to. */
export class BlockedAddressError extends Error {
  override name = "BlockedAddressError";
}

/** Decides where deliveries may go, and checks it before every connection. @see docs/open-questions.md#q22 */
export interface AddressGuard {
  /**
   * Checks the address of a webhook that is created or changed, and returns it in its normal form. A name that does
   * not resolve yet, or not within three seconds, is let through: every connection is checked again.
   * @throws ApiError 400
   */
  checkUrl(text: string): Promise<string>;
  /**
   * Resolves a host to addresses that all may be connected to.
   * @throws BlockedAddressError when any of them may not; whatever resolving throws.
   */
  resolvePublic(host: string): Promise<readonly LookupAddress[]>;
  /** Requires an address that deliveries may go to. @throws BlockedAddressError */
  checkAddress(address: string): void;
}

export type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

export interface AddressGuardOptions {
  /** Networks in CIDR form that deliveries may go to although they are private. */
  readonly allowedNetworks?: readonly string[];
  readonly resolve?: ResolveName;
}

/**
 * Milliseconds for resolving the name of an address that is saved. Well below the time limit of a call: otherwise the
 * call could answer 503 and still create a webhook whose secret nobody has seen.
 */
const RESOLVE_TIMEOUT = 3_000;

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Reads a network such as `10.0.0.0/8`; null when malformed. */
export function parseNetwork(text: string): Network | null {
  try {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits];
  } catch {
    return null;
  }
}

/** The IPv6 addresses of the Internet. Leaves out every form that embeds an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Returns true only for ordinary public addresses. Addresses in no known range are refused, too. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_IPV6 as [ipaddr.IPv6, number]);
}

/** Creates a guard for public addresses and the allowed networks. @throws TypeError for a malformed network */
export function createAddressGuard({
  allowedNetworks = [],
  resolve = resolveName,
}: AddressGuardOptions = {}): AddressGuard {
  const allowed = allowedNetworks.map((text) => {
    const network = parseNetwork(text);
    if (!network) throw new TypeError(`Not a network: ${text}`);
    return network;
  });

  const checkAddress = (text: string): void => {
    // process() turns an IPv4 address that is mapped into IPv6 back into IPv4.
    const address = ipaddr.isValid(text) ? ipaddr.process(text) : null;
    const named = allowed.some(
      ([network, bits]) => address?.kind() === network.kind() && address.match(network, bits),
    );
    if (!address || !(named || isPublic(address))) {
      throw new BlockedAddressError("Deliveries don't go to this address.");
    }
  };

  const resolvePublic = async (host: string): Promise<readonly LookupAddress[]> => {
    const family = isIP(host);
    const addresses = family ? [{ address: host, family }] : await resolve(host);
    // A private address among public ones is a rebinding attack: refuse the name.
    for (const { address } of addresses) checkAddress(address);
    return addresses;
  };

  const checkUrl = async (text: string): Promise<string> => {
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url?.protocol !== "https:" || url.username !== "" || url.password !== "" || url.hostname === "") {
      throw new ApiError("BAD_REQUEST", MESSAGES.webhookUrlNotHttps);
    }
    url.hash = "";
    try {
      await withTimeout(resolvePublic(getHost(url)), RESOLVE_TIMEOUT, () => {});
    } catch (error) {
      if (error instanceof BlockedAddressError) throw new ApiError("BAD_REQUEST", MESSAGES.webhookUrlRefused);
    }
    return url.href;
  };

  return { checkUrl, resolvePublic, checkAddress };
}

/** Returns the host to resolve or connect to. The URL parser has normalised every way to write an IPv4 address. */
const getHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

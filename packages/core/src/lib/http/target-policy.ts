import type { LookupAddress } from "node:dns";
import { promises as dns } from "node:dns";
import { isIP } from "node:net";
import { MESSAGES } from "@minutes/contract";
import { withTimeout } from "@minutes/db";
import ipaddr from "ipaddr.js";
import { ApiError } from "../errors.js";
import { parseNetwork } from "./network.js";

/** Thrown for an address that deliveries must not go to. */
export class BlockedAddressError extends Error {
  override name = "BlockedAddressError";
}

/** Decides where deliveries can go, and is checked before every connection. @see docs/open-questions.md#q22 */
export interface TargetPolicy {
  /**
   * Checks the URL of a new or changed webhook, and returns it normalized. A name that does not resolve within three
   * seconds is accepted: every connection is checked again.
   * @throws ApiError 400
   */
  checkUrl(text: string): Promise<string>;
  /**
   * Resolves a host to addresses that are all allowed.
   * @throws BlockedAddressError if any of them is not; errors of resolving
   */
  resolvePublic(host: string): Promise<readonly LookupAddress[]>;
  /** Requires an allowed address. @throws BlockedAddressError */
  checkAddress(address: string): void;
}

type ResolveName = (name: string) => Promise<readonly LookupAddress[]>;

export interface TargetPolicyOptions {
  /** Private networks in CIDR notation that deliveries can go to. */
  readonly allowedNetworks?: readonly string[];
  readonly resolve?: ResolveName;
}

/**
 * Timeout for resolving the name of a saved URL, in ms. Well below the deadline of a call, which could otherwise answer
 * 503 and still create a webhook whose secret nobody has seen.
 */
const RESOLVE_TIMEOUT = 3_000;

/** Global IPv6 addresses. Excludes every form that embeds an IPv4 address. */
const GLOBAL_IPV6 = ipaddr.parseCIDR("2000::/3");

/** Returns true only for ordinary public addresses. Addresses outside all known ranges are refused. */
function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast") return false;
  return address.kind() === "ipv4" || address.match(GLOBAL_IPV6 as [ipaddr.IPv6, number]);
}

/** Creates a policy for public addresses and the allowed networks. @throws TypeError for a malformed network */
export function createTargetPolicy({
  allowedNetworks = [],
  resolve = resolveName,
}: TargetPolicyOptions = {}): TargetPolicy {
  const allowed = allowedNetworks.map((text) => {
    const network = parseNetwork(text);
    if (!network) throw new TypeError(`Not a network: ${text}`);
    return network;
  });

  const checkAddress = (text: string): void => {
    // process() converts an IPv4 address mapped to IPv6 back to IPv4.
    const address = ipaddr.isValid(text) ? ipaddr.process(text) : null;
    const named = allowed.some(
      ([network, bits]) => address?.kind() === network.kind() && address.match(network, bits),
    );
    if (!address || !(named || isPublic(address))) {
      throw new BlockedAddressError("Deliveries to this address are not allowed.");
    }
  };

  const resolvePublic = async (host: string): Promise<readonly LookupAddress[]> => {
    const family = isIP(host);
    const addresses = family ? [{ address: host, family }] : await resolve(host);
    // A private address among public ones is a DNS rebinding attack: refuse the name.
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

/** Returns the host to resolve or connect to. The URL parser has normalized every notation of an IPv4 address. */
const getHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");

/** `timeout` of one query in ms. */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });

/** Error codes of name servers for unknown names. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ENONAME"]);

const getCode = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "";

/**
 * Resolves all addresses of a name. Queries name servers directly, because the system's lookup blocks one of the
 * process's few threads while it waits: two names with silent servers would delay every other receiver. Names unknown
 * to all servers go to the system's lookup, which reads the hosts file.
 */
async function resolveName(name: string): Promise<LookupAddress[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  for (const failed of [v4, v6]) {
    if (failed.status === "rejected" && !UNKNOWN.has(getCode(failed.reason))) throw failed.reason;
  }
  return dns.lookup(name, { all: true });
}

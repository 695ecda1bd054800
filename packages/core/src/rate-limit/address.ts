import ipaddr from "ipaddr.js";

/** Groups of an IPv6 address that one customer of a network usually has for themselves. */
const CUSTOMER_GROUPS = 4;

/**
 * Turns a client's address into what its failures are counted by: an IPv4 address, or the /64 network of an IPv6
 * address, in which a client can take any address. Anything else, also none, is counted as one.
 */
export function toAddressKey(text: string | undefined): string {
  if (text === undefined || !ipaddr.isValid(text)) return "unknown";
  const address = ipaddr.process(text);
  return address.kind() === "ipv4"
    ? address.toString()
    : (address as ipaddr.IPv6).parts.slice(0, CUSTOMER_GROUPS).join(":");
}

import ipaddr from "ipaddr.js";

/** Number of 16-bit groups of an IPv6 prefix assigned to one customer. */
const CUSTOMER_GROUPS = 4;

/**
 * Returns the key by which a client's failures are counted: its IPv4 address, or the /64 network of its IPv6 address,
 * within which a client can choose any address. Everything else, including no address, shares one key.
 */
export function toAddressKey(text: string | undefined): string {
  if (text === undefined || !ipaddr.isValid(text)) return "unknown";
  const address = ipaddr.process(text);
  return address.kind() === "ipv4"
    ? address.toString()
    : (address as ipaddr.IPv6).parts.slice(0, CUSTOMER_GROUPS).join(":");
}

import ipaddr from "ipaddr.js";

type Network = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Parses a network such as `10.0.0.0/8`; null if malformed. */
export function parseNetwork(text: string): Network | null {
  try {
    const [address, bits] = ipaddr.parseCIDR(text);
    return [address, bits];
  } catch {
    return null;
  }
}

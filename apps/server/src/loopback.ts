import { BlockList, isIP } from "node:net";

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");

/** Returns true when a host name or address can be reached from this machine alone. Brackets of IPv6 are allowed. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  const family = isIP(address);
  if (family === 0) return address === "localhost" || address.endsWith(".localhost");
  return LOOPBACK.check(address, family === 4 ? "ipv4" : "ipv6");
}

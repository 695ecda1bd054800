import { promises as dns, type LookupAddress } from "node:dns";

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
export async function resolveName(name: string): Promise<LookupAddress[]> {
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

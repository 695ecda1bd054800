import { promises as dns, type LookupAddress } from "node:dns";

/** Milliseconds for one question to a name server, and how often it is asked. */
const resolver = new dns.Resolver({ timeout: 2_000, tries: 2 });

/** Answers that mean: the name servers don't know this name. */
const UNKNOWN = new Set(["ENOTFOUND", "ENODATA", "ENONAME"]);

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? "";

/**
 * All addresses of a name. Name servers are asked directly, because the system's own lookup takes one of the
 * process's few threads while it waits: two names whose servers keep silent would hold up every other receiver. It
 * is still what knows the hosts file and its kin, so a name that no server knows goes there.
 */
export async function resolveName(name: string): Promise<LookupAddress[]> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = [
    ...(v4.status === "fulfilled" ? v4.value.map((address) => ({ address, family: 4 })) : []),
    ...(v6.status === "fulfilled" ? v6.value.map((address) => ({ address, family: 6 })) : []),
  ];
  if (addresses.length > 0) return addresses;
  for (const failed of [v4, v6]) {
    if (failed.status === "rejected" && !UNKNOWN.has(codeOf(failed.reason))) throw failed.reason;
  }
  return dns.lookup(name, { all: true });
}

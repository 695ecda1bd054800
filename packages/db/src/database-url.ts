/** A PostgreSQL address, taken apart. */
export interface DatabaseUrl {
  /** The address with its first host alone. */
  readonly url: URL;
  /** Each host as it was written, with its port where it has one. Several are servers of one cluster. */
  readonly hosts: readonly string[];
}

const ADDRESS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^/?#]*@)?(?<hosts>[^/?#@]*)(?<rest>.*)$/;

/**
 * Takes apart `postgres://user@host:5432/minutes`, also with several hosts between commas, which `URL` can't read.
 * @returns null when the text is no PostgreSQL address
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | null {
  const { scheme, user = "", hosts = "", rest } = ADDRESS.exec(text)?.groups ?? {};
  if (scheme === undefined) return null;
  const all = hosts.split(",");
  // The driver splits a list at its colons, which would cut an IPv6 address.
  if (all.length > 1 && all.some((host) => host === "" || host.includes("["))) return null;
  const addresses = all.map((host) => `${scheme}${user}${host}${rest}`);
  if (!addresses.every((address) => URL.canParse(address))) return null;
  return { url: new URL(addresses[0] ?? text), hosts: all };
}

/** Takes apart an address that was checked before. @throws TypeError when it is none */
export function requireDatabaseUrl(text: string): DatabaseUrl {
  const parsed = parseDatabaseUrl(text);
  if (!parsed) throw new TypeError("Not a PostgreSQL address.");
  return parsed;
}

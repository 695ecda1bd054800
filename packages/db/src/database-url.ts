/** A parsed PostgreSQL URL. */
export interface DatabaseUrl {
  /** The URL with only its first host. */
  readonly url: URL;
  /** Hosts as written, with the port if given. Several hosts are servers of one cluster. */
  readonly hosts: readonly string[];
}

const ADDRESS = /^(?<scheme>postgres(?:ql)?:\/\/)(?<authority>[^/?#]*)/;

/**
 * Parses `postgres://user@host:5432/minutes`, including lists of hosts, which `URL` does not support.
 * @returns null if the text is not a PostgreSQL URL
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | null {
  const { scheme, authority = "" } = ADDRESS.exec(text)?.groups ?? {};
  if (scheme === undefined) return null;
  const at = authority.lastIndexOf("@") + 1;
  const [user, hosts] = [authority.slice(0, at), authority.slice(at)];
  const rest = text.slice(scheme.length + authority.length);
  const all = hosts.split(",");
  // The driver splits a host list at colons, which would break IPv6 addresses.
  if (all.length > 1 && all.some((host) => host === "" || host.includes("["))) return null;
  const addresses = all.map((host) => `${scheme}${user}${host}${rest}`);
  if (!addresses.every((address) => URL.canParse(address))) return null;
  return { url: new URL(addresses[0] ?? text), hosts: all };
}

/** Parses a URL that was already validated. @throws TypeError if it is invalid */
export function requireDatabaseUrl(text: string): DatabaseUrl {
  const parsed = parseDatabaseUrl(text);
  if (!parsed) throw new TypeError("Not a PostgreSQL address.");
  return parsed;
}

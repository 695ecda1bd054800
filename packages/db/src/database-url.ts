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
 * @returns null if the text is not a PostgreSQL URL, or its password is not encoded
 */
export function parseDatabaseUrl(text: string): DatabaseUrl | null {
  const { scheme, authority = "" } = ADDRESS.exec(text)?.groups ?? {};
  if (scheme === undefined || hasUnencodedCredentials(text)) return null;
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

/**
 * Returns true if a URL's user or password has a character that URLs reserve, such as `#`, which ends it there. An `@` is
 * understood as it is, also in a database's name or a query. False for texts without a scheme, such as directories.
 */
export function hasUnencodedCredentials(text: string): boolean {
  const scheme = /^[a-z]+:\/\//i.exec(text)?.[0];
  if (scheme === undefined) return false;
  const [rest = "", ...hash] = text.slice(scheme.length).split("#");
  const [authority = "", ...path] = (rest.split("?")[0] ?? "").split("/");
  const [hosts = "", ...user] = authority.split("@").reverse();
  const isName = user.length > 0 && path.length === 1;
  if ([...(isName ? [] : path), ...hash].some((part) => part.includes("@"))) return true;
  if (user.some((part) => /%(?![\da-f]{2})/i.test(part))) return true;
  // The port that a password seems to be.
  const isLater = authority !== "" && user.length === 0 && text.includes("@");
  return isLater && !hosts.split(",").every((host) => /[^:]$/.test(host) && URL.canParse(`${scheme}${host}`));
}

/** Parses a URL that was already validated. @throws TypeError if it is invalid */
export function requireDatabaseUrl(text: string): DatabaseUrl {
  const parsed = parseDatabaseUrl(text);
  if (!parsed) throw new TypeError("Not a PostgreSQL address.");
  return parsed;
}

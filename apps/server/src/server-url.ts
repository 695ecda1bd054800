/** Addresses that mean "every interface": not ones to connect to. */
const ANY: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** Writes the address at which a client on this machine reaches a server that listens on this host and port. */
export const toServerUrl = (host: string, port: number): string =>
  `http://${ANY[host] ?? (host.includes(":") ? `[${host}]` : host)}:${port}`;

/** Addresses that mean "every interface" and can't be connected to. */
const ANY: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** Returns the URL at which a client on this machine reaches a server that listens on this host and port. */
export const toServerUrl = (host: string, port: number): string =>
  `http://${ANY[host] ?? (host.includes(":") ? `[${host}]` : host)}:${port}`;

/** The installation's public URL. Links, cookies and e-mails use it, never a request's `Host`. */
export interface PublicUrl {
  /** Returns an origin such as `https://minutes.example.com`. */
  get(): string;
  /** Sets the listening address, which is used unless `PUBLIC_URL` is set. */
  setListeningAddress(address: string, port: number): void;
}

/** Creates the public URL from the settings. Without `PUBLIC_URL`, it follows the listening address. */
export function createPublicUrl(env: {
  readonly PUBLIC_URL?: string | undefined;
  readonly HOST: string;
  readonly PORT: number;
}): PublicUrl {
  let url = env.PUBLIC_URL ?? toServerUrl(env.HOST, env.PORT);
  return {
    get: () => url,
    setListeningAddress: (address, port) => {
      url = env.PUBLIC_URL ?? toServerUrl(address, port);
    },
  };
}

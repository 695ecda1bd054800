interface ListeningSettings {
  readonly HOST: string;
  readonly PORT: number;
}

/** Addresses that mean "every interface" and can't be connected to. */
const ANY: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "[::1]" };

/** Returns the URL at which a client on this machine reaches a server that listens on this host and port. */
export const toServerUrl = (host: string, port: number): string =>
  `http://${ANY[host] ?? (host.includes(":") ? `[${host}]` : host)}:${port}`;

/** Returns the URL at which a client on this machine reaches the configured server. */
export const getServerUrl = ({ HOST, PORT }: ListeningSettings): string => toServerUrl(HOST, PORT);

/** Returns the URL to which an OpenID Connect provider sends people back; it is registered there. */
export const toOidcCallback = (publicUrl: string): string => `${publicUrl}/identity/v1/oidc/callback`;

/** The installation's public URL. Links, cookies and e-mails use it, never a request's `Host`. */
export interface PublicUrl {
  /** Returns an origin such as `https://minutes.example.com`. */
  get(): string;
  /** Sets the listening address, which is used unless `PUBLIC_URL` is set. */
  setListeningAddress(address: string, port: number): void;
}

/** Creates the public URL from the settings. Without `PUBLIC_URL`, it follows the listening address. */
export function createPublicUrl(
  config: ListeningSettings & { readonly PUBLIC_URL?: string | undefined },
): PublicUrl {
  let url = config.PUBLIC_URL ?? getServerUrl(config);
  return {
    get: () => url,
    setListeningAddress: (address, port) => {
      url = config.PUBLIC_URL ?? toServerUrl(address, port);
    },
  };
}

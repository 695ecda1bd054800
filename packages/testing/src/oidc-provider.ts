import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** The installation's client at the provider. */
export const OIDC_CLIENT = { client_id: "minutes", client_secret: "the secret of the installation" };

/** The account that signs in at a provider, and its claims. */
export interface OidcAccount {
  readonly sub: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string;
}

/** A running OpenID Connect provider. */
export interface OidcProvider {
  readonly issuer: string;
  close(): Promise<void>;
}

/**
 * Creates the request listener of a real provider, whose sign-in page accepts everyone.
 * @param getAccount returns the account to sign in
 * @param redirects permitted redirect URLs of the installation
 */
export async function createOidcListener(
  issuer: string,
  getAccount: () => OidcAccount,
  redirects: readonly string[],
): Promise<RequestListener> {
  // Loaded on first use: most suites don't need it.
  const { default: Provider } = await import("oidc-provider");
  const oidc = new Provider(issuer, {
    clients: [{ ...OIDC_CLIENT, redirect_uris: [...redirects] }],
    pkce: { required: () => true },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    ttl: { AccessToken: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
    cookies: { keys: ["a key of the test"] },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ ...getAccount(), sub: accountId }) }),
    loadExistingGrant: async (ctx) => {
      const { client, session } = ctx.oidc;
      if (!client || !session?.accountId) return undefined;
      const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const answer = oidc.callback();
  return (request, response) => {
    if (!request.url?.startsWith("/interaction/")) return answer(request, response);
    return oidc.interactionFinished(request, response, { login: { accountId: getAccount().sub } });
  };
}

/** Starts the provider of `createOidcListener` on loopback. `getRedirects` is called at its first request. */
export async function startOidcProvider(
  getAccount: () => OidcAccount,
  getRedirects: () => readonly string[],
): Promise<OidcProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  let listener: Promise<RequestListener> | undefined;
  server.on("request", async (request, response) => {
    listener ??= createOidcListener(issuer, getAccount, getRedirects());
    (await listener)(request, response);
  });
  return {
    issuer,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { createHmac, randomBytes } from "node:crypto";
import type * as OpenIdClient from "openid-client";

/** The installation's OpenID Connect provider, and the client ID registered with it. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The workspace that people without an account join; null: only people with an account can sign in. */
  readonly workspaceId: string | null;
}

/** The identity returned by a provider. */
export interface CompanyIdentity {
  readonly issuer: string;
  readonly subject: string;
  /** Lower case; null unless the provider has verified it. */
  readonly email: string | null;
  readonly name: string | null;
}

/** Talks to one OpenID Connect provider. Loads and requests nothing before its first use. */
export interface OidcClient {
  readonly settings: OidcSettings;
  /** Returns the provider's URL to redirect the browser to. */
  createAuthorizationUrl(secret: string, redirectUri: string): Promise<string>;
  /** Exchanges the code that the browser returned with. Throws if anything is invalid. */
  identify(secret: string, callbackUrl: string): Promise<CompanyIdentity>;
}

/** Timeout of a request to the provider, in seconds. */
const PATIENCE = 10;

/** Generates the secret of one sign-in, which stays in the browser's cookie. */
export const createFlowSecret = (): string => randomBytes(32).toString("base64url");

/** Derives a value of one sign-in, so that only the browser that started it has all of them. */
export const deriveFlowValue = (secret: string, name: "state" | "nonce" | "verifier"): string =>
  createHmac("sha256", secret).update(name).digest("base64url");

/** Creates a client for a provider. */
export function createOidcClient(settings: OidcSettings): OidcClient {
  let discovered: Promise<Provider> | undefined;
  const getProvider = (): Promise<Provider> => {
    // A failed discovery is retried by the next sign-in.
    discovered ??= discover(settings).catch((error: unknown) => {
      discovered = undefined;
      throw error;
    });
    return discovered;
  };
  return {
    settings,
    createAuthorizationUrl: async (secret, redirectUri) => {
      const { library, config } = await getProvider();
      const url = library.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state: deriveFlowValue(secret, "state"),
        nonce: deriveFlowValue(secret, "nonce"),
        code_challenge: await library.calculatePKCECodeChallenge(deriveFlowValue(secret, "verifier")),
        code_challenge_method: "S256",
      });
      return url.href;
    },
    identify: async (secret, callbackUrl) => {
      const { library, config } = await getProvider();
      const tokens = await library.authorizationCodeGrant(config, new URL(callbackUrl), {
        expectedState: deriveFlowValue(secret, "state"),
        expectedNonce: deriveFlowValue(secret, "nonce"),
        pkceCodeVerifier: deriveFlowValue(secret, "verifier"),
        idTokenExpected: true,
      });
      const claims = tokens.claims();
      if (!claims) throw new TypeError("The provider sent no ID token.");
      // Many providers return the address only from their userinfo endpoint.
      const person =
        claims.email === undefined && config.serverMetadata().userinfo_endpoint !== undefined
          ? await library.fetchUserInfo(config, tokens.access_token, claims.sub)
          : claims;
      return toIdentity(claims.iss, claims.sub, person);
    },
  };
}

interface Provider {
  readonly library: typeof OpenIdClient;
  readonly config: OpenIdClient.Configuration;
}

async function discover({ issuer, clientId, clientSecret }: OidcSettings): Promise<Provider> {
  const library = await import("openid-client");
  const url = new URL(issuer);
  // The settings permit http only for this machine.
  const execute = url.protocol === "http:" ? [library.allowInsecureRequests] : [];
  const found = await library.discovery(url, clientId, undefined, undefined, { execute, timeout: PATIENCE });
  const server = found.serverMetadata();
  const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const authenticate = methods.includes("client_secret_basic")
    ? library.ClientSecretBasic(clientSecret)
    : library.ClientSecretPost(clientSecret);
  const config = new library.Configuration(server, clientId, clientSecret, authenticate);
  config.timeout = PATIENCE;
  // TLS to the provider is not enough: a proxy in between may terminate it.
  library.enableNonRepudiationChecks(config);
  for (const change of execute) change(config);
  return { library, config };
}

function toIdentity(
  issuer: string,
  subject: string,
  person: Readonly<Record<string, unknown>>,
): CompanyIdentity {
  const { email, email_verified: verified, name } = person;
  return {
    issuer,
    subject,
    // Some providers send the flag as a string.
    email:
      typeof email === "string" && (verified === true || verified === "true") ? email.toLowerCase() : null,
    name: typeof name === "string" && name.trim() !== "" ? name.trim() : null,
  };
}

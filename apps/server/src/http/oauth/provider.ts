import { generateKeyPairSync } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createOAuthAdapter, generateToken, OAUTH_SCOPES, OAUTH_SECONDS } from "@minutes/core";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";
import type { AppServices } from "../routes/services.js";
import { writeProblemPage } from "./pages.js";
import { OAUTH_PATHS, toResource } from "./paths.js";
import { describeDestination, restrictClient } from "./registration.js";

/** Fields of the library's metadata that describe what is offered here. */
const METADATA = [
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "response_types_supported",
  "grant_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "authorization_response_iss_parameter_supported",
  "client_id_metadata_document_supported",
] as const;

const toMetadata = (all: Readonly<Record<string, unknown>>) => ({
  ...Object.fromEntries(METADATA.map((field) => [field, all[field]])),
  scopes_supported: OAUTH_SCOPES,
  response_modes_supported: ["query"],
});

/** Returns false if a client's document can't be fetched now, because the address of the request has asked for too many. */
type AllowFetch = (request: IncomingMessage) => Promise<boolean>;

/** Maximum characters of the address of a client's document. */
const CLIENT_ID_LENGTH = 500;

/** Seconds for which a client's document is used without fetching it again: its own time within these limits. */
const DOCUMENT_SECONDS = { min: 300, max: 86_400 };

/**
 * Replaces the redirect of a refused authorization request by a page with a link. Anybody can register an app, so a link
 * to this service could lead to any site.
 * @see https://www.rfc-editor.org/rfc/rfc9700#section-4.11.2
 */
function stayHere(ctx: Pick<KoaContextWithOIDC, "response" | "set" | "remove" | "status" | "body">): void {
  const to = String(ctx.response.headers.location ?? "");
  if (to === "" || to.startsWith(`${OAUTH_PATHS.consent}/`)) return;
  const { searchParams } = new URL(to);
  const about = searchParams.get("error_description") ?? searchParams.get("error") ?? "";
  const { headers, page } = writeProblemPage(about, { to, name: describeDestination(to) });
  ctx.remove("Location");
  ctx.status = 400;
  ctx.set(headers);
  ctx.body = page;
}

/** The part of the configuration that every installation shares. */
const COMMON: Configuration = {
  scopes: [...OAUTH_SCOPES],
  responseTypes: ["code"],
  pkce: { required: () => true },
  clientAuthMethods: ["none"],
  clientDefaults: { token_endpoint_auth_method: "none", id_token_signed_response_alg: "ES256" },
  findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
  routes: {
    authorization: OAUTH_PATHS.authorize,
    registration: OAUTH_PATHS.register,
    token: OAUTH_PATHS.token,
    revocation: OAUTH_PATHS.revoke,
  },
  cookies: {
    // With the prefix, a page of a neighboring host can't plant its own consent in a person's browser.
    names: {
      session: "minutes-oauth",
      interaction: "__Host-minutes-consent",
      resume: "minutes-consent-resume",
    },
    short: { httpOnly: true, sameSite: "lax", secure: true, signed: false, path: "/" },
    long: { httpOnly: true, sameSite: "lax", secure: true, signed: false, path: OAUTH_PATHS.authorize },
  },
  issueRefreshToken: () => true,
  rotateRefreshToken: true,
  expiresWithSession: () => false,
  clientBasedCORS: () => false,
  revokeGrantPolicy: () => true,
  ttl: {
    AccessToken: OAUTH_SECONDS.accessToken,
    AuthorizationCode: OAUTH_SECONDS.code,
    Grant: OAUTH_SECONDS.grant,
    Interaction: OAUTH_SECONDS.consent,
    RefreshToken: OAUTH_SECONDS.refreshToken,
    Session: OAUTH_SECONDS.consent,
  },
  renderError: (ctx: KoaContextWithOIDC, { error, error_description: about }) => {
    const { headers, page } = writeProblemPage(about ?? error);
    ctx.set(headers);
    ctx.body = page;
  },
};

function configure(
  { errors, interactionPolicy }: typeof import("oidc-provider"),
  { db, clientDocuments }: AppServices,
  issuer: string,
  allowFetch: AllowFetch,
): Configuration {
  const resource = toResource(issuer);
  const { Check, Prompt } = interactionPolicy;
  // Everybody consents to every connection, whatever they consented to before.
  const consent = new Prompt(
    { name: "consent", requestable: true },
    new Check("not_given", "consent is required", "consent_required", ({ oidc }) => !oidc.result?.consent),
  );
  const signIn = new Prompt({ name: "login", requestable: true });

  return {
    ...COMMON,
    adapter: (model) =>
      createOAuthAdapter(
        db,
        model,
        () => new errors.InvalidGrant("authorization code already consumed"),
      ) as never,
    // The library needs a key, although nothing is signed: tokens are opaque, and there are no ID tokens.
    jwks: {
      keys: [
        generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "jwk" }),
      ] as never,
    },
    extraClientMetadata: {
      properties: ["software_id"],
      validator: (_ctx, _key, _value, metadata) =>
        restrictClient(
          metadata as Record<string, unknown>,
          (message) => new errors.InvalidClientMetadata(message),
        ),
    },
    interactions: {
      policy: [signIn, consent] as never,
      url: (_ctx, { uid }) => `${OAUTH_PATHS.consent}/${uid}`,
    },
    features: {
      devInteractions: { enabled: false },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      registration: { enabled: true, initialAccessToken: false, issueRegistrationAccessToken: false },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
      },
      clientIdMetadataDocument: {
        ...{ enabled: true, ack: "draft-02", cacheDuration: DOCUMENT_SECONDS },
        // Without a context for the consent page, which belongs to a request that was counted.
        allowFetch: async (context, clientId) =>
          clientId.length <= CLIENT_ID_LENGTH && (context === undefined || (await allowFetch(context.req))),
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, asked) => {
          if (asked !== resource) throw new errors.InvalidTarget();
          return { scope: OAUTH_SCOPES.join(" "), audience: resource, accessTokenFormat: "opaque" };
        },
      },
    },
    fetch: (url, options) => clientDocuments(String(url), options?.signal ?? AbortSignal.timeout(0)),
  };
}

/** Creates the authorization server. Loads its library, which takes 200 ms and 30 MB. */
export async function createProvider(dependencies: AppServices, allowFetch: AllowFetch) {
  const library = await import("oidc-provider");
  const { publicUrl, onFault } = dependencies;
  const issuer = publicUrl();
  const provider = new library.Provider(issuer, configure(library, dependencies, issuer, allowFetch));
  provider.proxy = true;
  provider.silent = true;
  for (const [model, prefix] of [
    [provider.AccessToken, "mat_"],
    [provider.RefreshToken, "mrt_"],
    [provider.AuthorizationCode, "mac_"],
  ] as const)
    Object.assign(model.prototype, {
      generateTokenId(this: { format?: string }) {
        this.format = "opaque"; // as the library's own function does
        return generateToken(prefix);
      },
    });
  provider.on("server_error", (ctx, error) => onFault(error, ctx.req));
  provider.use(async (ctx, next) => {
    ctx.set({ "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff" });
    await next();
    if (ctx.path === OAUTH_PATHS.authorize) stayHere(ctx);
    if (ctx.path === OAUTH_PATHS.metadata && ctx.method === "GET")
      ctx.body = toMetadata(ctx.body as Record<string, unknown>);
  });
  const answer = provider.callback();
  const { host } = new URL(issuer);
  return {
    provider,
    /** Answers a request as one to the public address, through whichever name it came. */
    answer: (request: IncomingMessage, response: ServerResponse): void => {
      Object.assign(request.headers, { "x-forwarded-proto": "https", "x-forwarded-host": host });
      void answer(request, response);
    },
  };
}

export type OAuthServer = Awaited<ReturnType<typeof createProvider>>;

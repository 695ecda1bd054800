import { createFlowSecret, createOidcClient } from "@minutes/core";
import { getFaultCode } from "@minutes/db";
import { type Config, toOidcProvider } from "../../config/config.js";
import { getServerUrl, toOidcCallback } from "../../config/public-url.js";
import { type Check, fail, ok } from "./check.js";

const NAME = "Sign-in";

/** Begins a sign-in with the OpenID Connect provider, which reads its discovery document, and shows what to register there. */
export async function checkOidc(config: Config): Promise<Check[]> {
  const provider = toOidcProvider(config);
  if (!provider) return [];
  const { issuer, clientId } = provider;
  const callback = toOidcCallback(config.PUBLIC_URL ?? getServerUrl(config));
  try {
    await createOidcClient(provider).createAuthorizationUrl(createFlowSecret(), callback);
  } catch (error) {
    return [fail(NAME, describeFault(issuer, getFaultCode(error) ?? ""))];
  }
  return [ok(NAME, `${issuer} answers. The client ${clientId} needs this redirect URI there: ${callback}`)];
}

/** Names of faults of certificates: `CERT_HAS_EXPIRED`, `DEPTH_ZERO_SELF_SIGNED_CERT`, `UNABLE_TO_VERIFY_LEAF_SIGNATURE`. */
const CERTIFICATE = /CERT|^ERR_TLS|^UNABLE_TO_/;

function describeFault(issuer: string, code: string): string {
  if (CERTIFICATE.test(code))
    return `the certificate of ${issuer} can't be verified (${code}): fix the certificate, or set NODE_EXTRA_CA_CERTS to a file with its CA.`;
  if (code.startsWith("OAUTH_") && code !== "OAUTH_TIMEOUT")
    return `${issuer} has no discovery document for this issuer (${code}): OIDC_ISSUER must be the "issuer" in its /.well-known/openid-configuration.`;
  return `${issuer} can't be reached (${code || "no answer"}): check OIDC_ISSUER, and that this machine can reach it.`;
}

/** Paths of the flow. */
export const OAUTH_PATHS = {
  authorize: "/oauth/authorize",
  consent: "/oauth/consent",
  register: "/oauth/register",
  token: "/oauth/token",
  revoke: "/oauth/revoke",
  metadata: "/.well-known/oauth-authorization-server",
} as const;

/** Path of the metadata of `/mcp` (RFC 9728). */
export const RESOURCE_METADATA = "/.well-known/oauth-protected-resource/mcp";

/** Returns the address that tokens are for. */
export const toResource = (publicUrl: string): string => `${publicUrl}/mcp`;

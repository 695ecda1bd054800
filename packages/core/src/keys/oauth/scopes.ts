/** The rights that an app can ask for, as RFC 6749 scopes. `workspace:read` is for admins and excludes the others. */
export const OAUTH_SCOPES = [
  "meetings:read",
  "tasks:write",
  "meetings:write",
  "meetings:delete",
  "workspace:read",
] as const;
export type OAuthScope = (typeof OAUTH_SCOPES)[number];

/** Returns the known scopes of a list separated by spaces, in the order of `OAUTH_SCOPES`. */
export function parseScopes(text: string | undefined): OAuthScope[] {
  const named = new Set(text?.split(" "));
  return OAUTH_SCOPES.filter((scope) => named.has(scope));
}

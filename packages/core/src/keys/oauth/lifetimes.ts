/** Lifetimes in seconds. */
export const OAUTH_SECONDS = {
  code: 60,
  accessToken: 3_600,
  /** Counted from its issue: a connection that is not used for this long ends. */
  refreshToken: 30 * 86_400,
  /** Time to sign in and consent. */
  consent: 900,
  /** A connection ends, however much it is used. */
  grant: 365 * 86_400,
  /** A registered client that nobody consented to. */
  unusedClient: 86_400,
  /** How long a used refresh token works again, for a client that lost the answer or refreshed twice at once. */
  refreshGrace: 30,
} as const;

/** Registered clients that nobody consented to; beyond it, the oldest are deleted. */
export const MAX_UNUSED_CLIENTS = 1_000;

/** Connected apps of a user; beyond it, the oldest are disconnected. */
export const MAX_APPS_PER_USER = 50;

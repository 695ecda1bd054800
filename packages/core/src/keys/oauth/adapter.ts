import type { Database } from "@minutes/db";
import { createClientAdapter } from "./clients.js";
import { createGrantAdapter } from "./grants.js";
import type { OAuthAdapter } from "./store.js";
import { createTokenAdapter } from "./tokens.js";

/** The library's sessions last for one request: people are signed in by the console's session. */
const NOTHING: OAuthAdapter = {
  upsert: async () => {},
  find: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

/**
 * Creates the library's adapter for one of its models. Only hashes of codes and tokens are stored.
 * @param refuseReuse creates the error for a code that was used before, and for a connection that ended
 */
export function createOAuthAdapter(db: Database, model: string, refuseReuse: () => Error): OAuthAdapter {
  switch (model) {
    case "Client":
      return createClientAdapter(db);
    case "Grant":
      return createGrantAdapter(db);
    case "AccessToken":
    case "RefreshToken":
    case "AuthorizationCode":
    case "Interaction":
      return createTokenAdapter(db, model, refuseReuse);
    default:
      return NOTHING;
  }
}

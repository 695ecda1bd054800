import { createHmac, timingSafeEqual } from "node:crypto";
import { LIMITS } from "@minutes/contract";

/**
 * A signed statement that a user has signed in, `mst_<claims>.<signature>`: HMAC-SHA256 over the claims, good for
 * an hour. It opens the settings side alone; neither `/v1` nor ingest knows it.
 */
const PREFIX = "mst_";

const signature = (secret: string, claims: string): Buffer =>
  createHmac("sha256", secret).update(`${PREFIX}${claims}`).digest();

/** A new token for a user. `now` in milliseconds. */
export function signSession(secret: string, userId: string, now: number = Date.now()): string {
  const claims = Buffer.from(
    JSON.stringify({ sub: userId, exp: Math.floor(now / 1000) + LIMITS.sessionSeconds }),
  ).toString("base64url");
  return `${PREFIX}${claims}.${signature(secret, claims).toString("base64url")}`;
}

/** The user that a token was signed for; null for one that was not signed here or has expired. */
export function readSession(secret: string, token: string, now: number = Date.now()): string | null {
  const [claims = "", signed = "", ...rest] = token.slice(PREFIX.length).split(".");
  if (!token.startsWith(PREFIX) || rest.length > 0) return null;
  const given = Buffer.from(signed, "base64url");
  const expected = signature(secret, claims);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return null;
  // Signed here, so it has the form that was given to it here.
  const { sub, exp } = JSON.parse(Buffer.from(claims, "base64url").toString("utf8"));
  return now / 1000 < exp ? sub : null;
}

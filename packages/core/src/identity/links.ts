import { secondsFromNow } from "@minutes/background";
import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, ne, sql } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { generateToken, hashToken, isToken } from "../keys/index.js";

const { oneTimeLinks, signInAttempts } = schema;

/**
 * Creates the token of a one-time link that signs a user in.
 * @param seconds how long it is valid.
 * @param purpose `mail` for a link that is sent to the user's address, so that using it confirms the address.
 */
export async function createSignInToken(
  db: Database,
  userId: string,
  seconds: number = LIMITS.signInLinkSeconds,
  purpose: "sign-in" | "mail" = "sign-in",
): Promise<string> {
  await deleteExpired(db);
  const token = generateToken("mlk_");
  await db
    .insert(oneTimeLinks)
    .values({ hash: hashToken(token), purpose, userId, expiresAt: secondsFromNow(seconds) });
  return token;
}

/** Creates the token of the link that sets up a new installation. */
export async function createSetupToken(db: Database): Promise<string> {
  await deleteExpired(db);
  const token = generateToken("mlk_");
  await db
    .insert(oneTimeLinks)
    .values({ hash: hashToken(token), purpose: "setup", expiresAt: secondsFromNow(LIMITS.setupLinkSeconds) });
  return token;
}

/**
 * Uses up a link that signs a user in. Of several uses at once one succeeds.
 * @returns `mailed`: whether the link was sent to the user's address.
 * @throws ApiError 401 for a link that is unknown, used or expired.
 */
export async function consumeSignInToken(
  tx: Database,
  token: string,
): Promise<{ userId: string; mailed: boolean }> {
  const [link] = isToken("mlk_", token)
    ? await tx
        .delete(oneTimeLinks)
        .where(
          and(
            eq(oneTimeLinks.hash, hashToken(token)),
            ne(oneTimeLinks.purpose, "setup"),
            sql`${oneTimeLinks.expiresAt} > now()`,
          ),
        )
        .returning({ userId: oneTimeLinks.userId, purpose: oneTimeLinks.purpose })
    : [];
  if (!link?.userId) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
  return { userId: link.userId, mailed: link.purpose === "mail" };
}

/**
 * Checks a link for the set-up without using it, so that a hash is computed for nobody else.
 * @throws ApiError 401 unless the token is one of them and has not expired.
 */
export async function requireSetupToken(db: Database, token: string): Promise<void> {
  const found = isToken("mlk_", token)
    ? await db
        .select({ purpose: oneTimeLinks.purpose })
        .from(oneTimeLinks)
        .where(
          and(
            eq(oneTimeLinks.hash, hashToken(token)),
            eq(oneTimeLinks.purpose, "setup"),
            sql`${oneTimeLinks.expiresAt} > now()`,
          ),
        )
    : [];
  if (found.length === 0) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
}

/**
 * Uses up all links for the set-up. Every process prints one of its own; locking them all lets one set-up succeed.
 * @throws ApiError 401 unless the token is one of them and has not expired.
 */
export async function consumeSetupToken(tx: Database, token: string): Promise<void> {
  const links = await tx
    .select({ hash: oneTimeLinks.hash, valid: sql<boolean>`${oneTimeLinks.expiresAt} > now()` })
    .from(oneTimeLinks)
    .where(eq(oneTimeLinks.purpose, "setup"))
    .orderBy(oneTimeLinks.hash)
    .for("update");
  const hash = Buffer.from(hashToken(token));
  if (!links.some((link) => link.valid && hash.equals(link.hash)))
    throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
  await tx.delete(oneTimeLinks).where(eq(oneTimeLinks.purpose, "setup"));
}

/** Deletes links that have expired, and attempts of more than a day ago, which count no more. */
async function deleteExpired(db: Database): Promise<void> {
  await db.delete(oneTimeLinks).where(sql`${oneTimeLinks.expiresAt} <= now()`);
  await db.delete(signInAttempts).where(sql`${signInAttempts.lastAt} < now() - interval '1 day'`);
}

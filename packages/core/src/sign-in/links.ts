import { secondsFromNow } from "@minutes/background";
import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, ne, sql } from "drizzle-orm";
import { generateToken, hashToken, isToken } from "../keys/index.js";
import { ApiError } from "../lib/errors.js";

const { oneTimeLinks, users } = schema;

/**
 * Creates the token of a one-time sign-in link.
 * @param seconds its lifetime
 * @param purpose `mail` for a link sent to the user's address, so that using it confirms the address
 */
export async function createSignInToken(
  db: Database,
  userId: string,
  seconds: number = LIMITS.signInLinkSeconds,
  purpose: "sign-in" | "mail" = "sign-in",
): Promise<string> {
  const token = generateToken("mlk_");
  await db
    .insert(oneTimeLinks)
    .values({ hash: hashToken(token), purpose, userId, expiresAt: secondsFromNow(seconds) });
  return token;
}

/** Creates the token of the set-up link of a new installation. */
export async function createSetupToken(db: Database): Promise<string> {
  const token = generateToken("mlk_");
  await db
    .insert(oneTimeLinks)
    .values({ hash: hashToken(token), purpose: "setup", expiresAt: secondsFromNow(LIMITS.setupLinkSeconds) });
  return token;
}

/** Builds the condition for a valid sign-in link. */
const whereSignsIn = (token: string) =>
  and(
    eq(oneTimeLinks.hash, hashToken(token)),
    ne(oneTimeLinks.purpose, "setup"),
    sql`${oneTimeLinks.expiresAt} > now()`,
  );

/**
 * Returns the user of a sign-in link without using it up, because mail scanners also open links.
 * @throws ApiError 401 for an unknown, used or expired link
 */
export async function findSignInLinkUser(
  db: Database,
  token: string,
): Promise<{ userId: string; email: string }> {
  const [user] = isToken("mlk_", token)
    ? await db
        .select({ userId: users.id, email: users.email })
        .from(oneTimeLinks)
        .innerJoin(users, eq(users.id, oneTimeLinks.userId))
        .where(whereSignsIn(token))
    : [];
  if (!user) throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
  return user;
}

/**
 * Uses up a sign-in link. Only one of several concurrent uses succeeds.
 * @returns `mailed`: whether the link was sent to the user's address. Null for an unknown, used or expired link.
 */
export async function consumeSignInToken(
  tx: Database,
  token: string,
): Promise<{ userId: string; mailed: boolean } | null> {
  const [link] = isToken("mlk_", token)
    ? await tx
        .delete(oneTimeLinks)
        .where(whereSignsIn(token))
        .returning({ userId: oneTimeLinks.userId, purpose: oneTimeLinks.purpose })
    : [];
  return link?.userId ? { userId: link.userId, mailed: link.purpose === "mail" } : null;
}

/**
 * Checks a set-up link without using it up, so that hashes are computed only for valid links.
 * @throws ApiError 401 for an invalid or expired token
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
 * Uses up all set-up links. Every process prints its own; locking them all lets only one set-up succeed.
 * @throws ApiError 401 for an invalid or expired token
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

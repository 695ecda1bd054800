import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import type { VisitorCaller } from "../access/callers.js";
import { ApiError } from "../lib/errors.js";
import {
  cancelSignIn,
  countWrongLink,
  forgiveSignIn,
  recordFailedSignIn,
  throttleSignIn,
} from "./attempts.js";
import { confirmAddress } from "./confirm-address.js";
import { findKnownBrowser } from "./known-browsers.js";
import { consumeSignInToken } from "./links.js";
import { checkPassword, hashPassword } from "./password-hash.js";
import type { CreatedSession } from "./sessions/create.js";
import { findSessionUser } from "./sessions/manage.js";
import { createBrowserSession } from "./setup.js";

const { passwords, users } = schema;

/**
 * Signs a user in with their password. An unknown account, one without a password and a wrong password get the same
 * answer and take the same time.
 * @throws ApiError 401; 429 after too many failures, as counted by `throttleSignIn`
 */
export async function signInWithPassword(
  db: Database,
  { email, password }: { email: string; password: string },
  visitor: VisitorCaller,
): Promise<CreatedSession> {
  const { address, browserToken, network, onFault } = visitor;
  const attempt = { email, address, browser: await findKnownBrowser(db, email, browserToken) };
  await throttleSignIn(db, attempt);
  const check = async () => {
    const [account] = await db
      .select({ userId: users.id, hash: passwords.hash })
      .from(users)
      .leftJoin(passwords, eq(passwords.userId, users.id))
      .where(eq(users.email, email));
    return { account, ...(await checkPassword(account?.hash ?? null, password, visitor)) };
  };
  const { account, valid, outdated } = await check().catch(async (error: unknown) => {
    // Nothing was tried, so nothing failed.
    await cancelSignIn(db, attempt);
    throw error;
  });
  const createRefusal = () => {
    // In the background: otherwise an existing account would take longer.
    if (account) void recordFailedSignIn(db, account.userId, { method: "password", network }).catch(onFault);
    return new ApiError("UNAUTHORIZED", MESSAGES.wrongPassword);
  };
  if (!account || !valid) throw createRefusal();
  const upgraded = outdated ? await hashPassword(password, visitor) : null;
  return db.transaction(async (tx) => {
    // Locks the hash, in case the password was changed since it was checked.
    const [current] = await tx
      .select({ hash: passwords.hash })
      .from(passwords)
      .where(eq(passwords.userId, account.userId))
      .for("update");
    if (current?.hash !== account.hash) throw createRefusal();
    if (upgraded !== null)
      await tx.update(passwords).set({ hash: upgraded }).where(eq(passwords.userId, account.userId));
    await forgiveSignIn(tx, attempt);
    return createBrowserSession(tx, account.userId, "password", visitor);
  });
}

/** A sign-in that can confirm an address. */
export interface ProvenSignIn {
  readonly session: CreatedSession;
  /** The token of an invitation back, as returned by `confirmAddress`. */
  readonly invitation: string | null;
}

/**
 * Signs a user in with a one-time link. Invalid links are counted but never delay valid ones, whose 256 random bits
 * can't be guessed.
 * @throws ApiError 401 for an unknown, used or expired link; 429 instead after too many from the address
 */
export async function signInWithLink(
  db: Database,
  token: string,
  visitor: VisitorCaller,
): Promise<ProvenSignIn> {
  const present = await findSessionUser(db, visitor.sessionToken);
  const signedIn = await db.transaction(async (tx) => {
    const link = await consumeSignInToken(tx, token);
    if (!link) return null;
    const { userId, mailed } = link;
    const invitation = mailed ? await confirmAddress(tx, userId, present?.userId ?? null) : null;
    return { session: await createBrowserSession(tx, userId, "link", visitor), invitation };
  });
  if (signedIn) return signedIn;
  await countWrongLink(db, visitor.address);
  throw new ApiError("UNAUTHORIZED", MESSAGES.linkNotValid);
}

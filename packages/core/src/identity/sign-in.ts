import { MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { eq } from "drizzle-orm";
import { ApiError } from "../errors.js";
import { type CreatedSession, findSessionUser } from "../sessions/index.js";
import { forgiveSignIn, throttleSignIn } from "./attempts.js";
import { confirmAddress } from "./confirm-address.js";
import { consumeSignInToken } from "./links.js";
import { checkPassword, hashPassword } from "./password-hash.js";
import { createBrowserSession } from "./setup.js";

const { passwords, users } = schema;

/** Who asks to sign in, as far as it is known. */
export interface Visitor {
  /** Network address, as `toAddressKey` makes it. */
  readonly address: string;
  /** By which the user recognises the session later, such as a browser's name. */
  readonly label: string | null;
}

/**
 * Signs a user in with their password. An unknown account, one without a password and a wrong password have the same
 * answer and take as long.
 * @throws ApiError 401; 429 after too many failures of the account or the address.
 */
export async function signInWithPassword(
  db: Database,
  { email, password }: { email: string; password: string },
  { address, label }: Visitor,
): Promise<CreatedSession> {
  await throttleSignIn(db, email, address);
  const [account] = await db
    .select({ userId: users.id, hash: passwords.hash })
    .from(users)
    .innerJoin(passwords, eq(passwords.userId, users.id))
    .where(eq(users.email, email));
  const { valid, outdated } = await checkPassword(account?.hash ?? null, password);
  if (!account || !valid) throw new ApiError("UNAUTHORIZED", MESSAGES.wrongPassword);
  const upgraded = outdated ? await hashPassword(password) : null;
  return db.transaction(async (tx) => {
    // Locks the hash: a password that is changed meanwhile is not the one that was checked.
    const [current] = await tx
      .select({ hash: passwords.hash })
      .from(passwords)
      .where(eq(passwords.userId, account.userId))
      .for("update");
    if (current?.hash !== account.hash) throw new ApiError("UNAUTHORIZED", MESSAGES.wrongPassword);
    if (upgraded !== null)
      await tx.update(passwords).set({ hash: upgraded }).where(eq(passwords.userId, account.userId));
    await forgiveSignIn(tx, email, address);
    return createBrowserSession(tx, account.userId, label);
  });
}

/**
 * Signs a user in with a one-time link.
 * @param sessionToken of the browser that uses it; undefined when nobody is signed in there.
 * @throws ApiError 401 for a link that is unknown, used or expired; 429 after too many failures of the address.
 */
export async function signInWithLink(
  db: Database,
  token: string,
  { address, label }: Visitor,
  sessionToken: string | undefined,
): Promise<CreatedSession> {
  await throttleSignIn(db, null, address);
  const present = await findSessionUser(db, sessionToken);
  return db.transaction(async (tx) => {
    const { userId, mailed } = await consumeSignInToken(tx, token);
    if (mailed) await confirmAddress(tx, userId, present?.userId ?? null);
    await forgiveSignIn(tx, null, address);
    return createBrowserSession(tx, userId, label);
  });
}

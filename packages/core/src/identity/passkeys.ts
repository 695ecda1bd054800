import { isIP } from "node:net";
import { LIMITS, MESSAGES, type PasskeyAnswer, type PasskeyCreation } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import type { WebAuthnCredential } from "@simplewebauthn/server";
import { and, asc, eq, sql } from "drizzle-orm";
import { audit } from "../audit.js";
import { ApiError } from "../errors.js";
import { generateId } from "../ids.js";
import type { CreatedSession, SignedInUser } from "../sessions/index.js";
import { consumeChallenge, storeChallenge } from "./challenges.js";
import { createBrowserSession } from "./setup.js";

const { passkeys, sessions, users } = schema;

/** The site that a passkey belongs to. Browsers offer it nowhere else. */
export interface PasskeySite {
  /** A host name, WebAuthn's "relying party id". */
  readonly id: string;
  /** Where the pages are, such as `https://minutes.example.com`. */
  readonly origin: string;
}

/** Returns the site of an installation; null where browsers have no passkeys: at an IP address, and over http. */
export function toPasskeySite(publicUrl: string): PasskeySite | null {
  const { hostname, origin, protocol } = new URL(publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return null;
  return protocol === "https:" || hostname === "localhost" ? { id: hostname, origin } : null;
}

/** Returns the site of a call's passkeys. @throws ApiError 404 where passkeys are turned off or can't work */
export function requirePasskeySite({
  passkeySite,
}: {
  readonly passkeySite: PasskeySite | null;
}): PasskeySite {
  if (!passkeySite) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
  return passkeySite;
}

/** Loads the library at its first use: most processes never need it. */
const loadLibrary = () => import("@simplewebauthn/server");

const toBase64Url = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64url");
const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(Buffer.from(text, "base64url"));

/** Lists a user's own passkeys, oldest first. */
export async function listPasskeys(db: Database, userId: string) {
  const list = await db
    .select({
      id: passkeys.id,
      name: passkeys.name,
      createdAt: passkeys.createdAt,
      lastUsedAt: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));
  return { passkeys: list };
}

/**
 * Creates what a browser needs to make a passkey for a user.
 * @throws ApiError 403 when the sign-in is older than `LIMITS.recentSignInSeconds`, 409 for a user with too many passkeys.
 */
export async function createPasskeyOptions(
  db: Database,
  site: PasskeySite,
  { userId, sessionId }: Pick<SignedInUser, "userId" | "sessionId">,
) {
  await requireRecentSignIn(db, sessionId);
  const [user] = await db
    .select({ email: users.email, name: users.name })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw new ApiError("NOT_FOUND", MESSAGES.userNotFound);
  const present = await db
    .select({ credentialId: passkeys.credentialId })
    .from(passkeys)
    .where(eq(passkeys.userId, userId));
  if (present.length >= LIMITS.passkeysPerUser) throw new ApiError("CONFLICT", MESSAGES.tooManyPasskeys);
  const { generateRegistrationOptions } = await loadLibrary();
  const options = await generateRegistrationOptions({
    rpName: "Minutes",
    rpID: site.id,
    userID: Uint8Array.from(Buffer.from(userId)),
    userName: user.email,
    userDisplayName: user.name,
    attestationType: "none",
    excludeCredentials: present.map(({ credentialId }) => ({ id: toBase64Url(credentialId) })),
    // The passkey alone signs in, so it names its user and the device checks that it is them.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    timeout: LIMITS.challengeSeconds * 1_000,
  });
  await storeChallenge(db, options.challenge, { purpose: "passkey-add", userId });
  return options;
}

/**
 * Stores a passkey that a browser made.
 * @throws ApiError 400 unless it answers a challenge of this user for this site; 403 when the sign-in is too old; 409 for
 *   a passkey that is stored already.
 */
export async function addPasskey(
  db: Database,
  site: PasskeySite,
  { userId, sessionId }: Pick<SignedInUser, "userId" | "sessionId">,
  { name, response }: { name: string; response: PasskeyCreation },
): Promise<{ id: string }> {
  await requireRecentSignIn(db, sessionId);
  const { verifyRegistrationResponse } = await loadLibrary();
  const challenge = readChallenge(response.response.clientDataJSON);
  if (!(await consumeChallenge(db, challenge, { purpose: "passkey-add", userId })))
    throw new ApiError("BAD_REQUEST", MESSAGES.passkeyNotAdded);
  const { registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge: challenge,
    expectedOrigin: site.origin,
    expectedRPID: site.id,
    requireUserVerification: true,
  }).catch(() => ({ registrationInfo: undefined }));
  if (!registrationInfo) throw new ApiError("BAD_REQUEST", MESSAGES.passkeyNotAdded);
  const { credential } = registrationInfo;
  const id = generateId("pk");
  await db.transaction(async (tx) => {
    const added = await tx
      .insert(passkeys)
      .values({
        id,
        userId,
        name,
        credentialId: fromBase64Url(credential.id),
        publicKey: credential.publicKey,
        counter: credential.counter,
      })
      .onConflictDoNothing()
      .returning({ id: passkeys.id });
    if (added.length === 0) throw new ApiError("CONFLICT", MESSAGES.passkeyTaken);
    await audit(tx, { kind: "user", userId }, "passkey.add", id);
  });
  return { id };
}

/** Removes one of a user's own passkeys. @throws ApiError 404 for any other */
export async function removePasskey(db: Database, userId: string, passkeyId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await tx
      .delete(passkeys)
      .where(and(eq(passkeys.id, passkeyId), eq(passkeys.userId, userId)))
      .returning({ id: passkeys.id });
    if (removed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.passkeyNotFound);
    await audit(tx, { kind: "user", userId }, "passkey.remove", passkeyId);
  });
}

/** Creates what a browser needs to sign in with any passkey of this site. It names no user. */
export async function createPasskeyChallenge(db: Database, site: PasskeySite) {
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    userVerification: "required",
    timeout: LIMITS.challengeSeconds * 1_000,
  });
  await storeChallenge(db, options.challenge, { purpose: "passkey-sign-in", userId: null });
  return options;
}

/**
 * Signs a user in with a passkey.
 * @throws ApiError 401 for an unknown passkey, a wrong signature, a challenge that is unknown, used or expired, another
 *   site, and a count of signatures that did not grow: the passkey was copied.
 */
export async function signInWithPasskey(
  db: Database,
  site: PasskeySite,
  response: PasskeyAnswer,
  label: string | null,
): Promise<CreatedSession> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const challenge = readChallenge(response.response.clientDataJSON);
  if (!(await consumeChallenge(db, challenge, { purpose: "passkey-sign-in", userId: null })))
    throw new ApiError("UNAUTHORIZED", MESSAGES.passkeyNotValid);
  return db.transaction(async (tx) => {
    // Locks the passkey, so that of two answers at once the second is checked against the first one's count.
    const [passkey] = await tx
      .select()
      .from(passkeys)
      .where(eq(passkeys.credentialId, fromBase64Url(response.id)))
      .for("update");
    if (!passkey) throw new ApiError("UNAUTHORIZED", MESSAGES.passkeyNotValid);
    const { userHandle } = response.response;
    const named =
      userHandle === undefined || Buffer.from(userHandle, "base64url").equals(Buffer.from(passkey.userId));
    const credential: WebAuthnCredential = {
      id: response.id,
      publicKey: Uint8Array.from(passkey.publicKey),
      counter: passkey.counter,
    };
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.id,
      credential,
      requireUserVerification: true,
    }).catch(() => ({ verified: false, authenticationInfo: undefined }));
    if (!named || !verified || !authenticationInfo)
      throw new ApiError("UNAUTHORIZED", MESSAGES.passkeyNotValid);
    await tx
      .update(passkeys)
      .set({ counter: authenticationInfo.newCounter, lastUsedAt: sql`now()` })
      .where(eq(passkeys.id, passkey.id));
    return createBrowserSession(tx, passkey.userId, label);
  });
}

/** Reads the challenge that a browser answered; empty when there is none. */
function readChallenge(clientDataJSON: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
    const challenge = (data as { challenge?: unknown } | null)?.challenge;
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}

/** Requires a sign-in of a short time ago, so that a stolen session can't be made to last. @throws ApiError 403 */
async function requireRecentSignIn(db: Database, sessionId: string): Promise<void> {
  const [recent] = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.id, sessionId),
        sql`${sessions.createdAt} > now() - make_interval(secs => ${LIMITS.recentSignInSeconds}::float8)`,
      ),
    );
  if (!recent) throw new ApiError("FORBIDDEN", MESSAGES.signInRecently);
}

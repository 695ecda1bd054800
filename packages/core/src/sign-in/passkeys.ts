import { isIP } from "node:net";
import { LIMITS, MESSAGES, type PasskeyAnswer, type PasskeyCreation } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import type { WebAuthnCredential } from "@simplewebauthn/server";
import { and, asc, eq, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { UserCaller, Visitor } from "../access/index.js";
import { ApiError } from "../lib/errors.js";
import { generateId } from "../lib/ids.js";
import { recordFailedSignIn } from "./attempts.js";
import { consumeChallenge, storeChallenge } from "./challenges.js";
import type { CreatedSession } from "./sessions/create.js";
import { createBrowserSession } from "./setup.js";

const { passkeys, users } = schema;

/** The site of a passkey. Browsers offer it nowhere else. */
export interface PasskeySite {
  /** A host name, WebAuthn's "relying party ID". */
  readonly id: string;
  /** Origin of the pages, such as `https://minutes.example.com`. */
  readonly origin: string;
}

/** Returns an installation's site; null if browsers don't support passkeys there: at an IP address, or over http. */
export function toPasskeySite(publicUrl: string): PasskeySite | null {
  const { hostname, origin, protocol } = new URL(publicUrl);
  if (isIP(hostname.replace(/^\[|\]$/g, "")) !== 0) return null;
  return protocol === "https:" || hostname === "localhost" ? { id: hostname, origin } : null;
}

/** Returns the site for passkeys. @throws ApiError 404 if passkeys are turned off or not possible */
export const findPasskeySite = (installation: {
  readonly signIn: readonly string[];
  readonly publicUrl: () => string;
}): PasskeySite => {
  const site = installation.signIn.includes("passkey") ? toPasskeySite(installation.publicUrl()) : null;
  if (!site) throw new ApiError("NOT_FOUND", MESSAGES.unknownProcedure);
  return site;
};

/** Loads the library on first use: most processes never need it. */
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
 * Creates the options with which a browser creates a passkey for a user.
 * @throws ApiError 409 for a user with too many passkeys
 */
export async function createPasskeyRegistrationOptions(
  db: Database,
  site: PasskeySite,
  { userId }: UserCaller,
) {
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
    // The passkey is the only factor, so it identifies its user, and the device verifies them.
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
    timeout: LIMITS.challengeSeconds * 1_000,
  });
  await storeChallenge(db, options.challenge, { purpose: "passkey-add", userId });
  return { ...options };
}

/**
 * Stores a passkey created by a browser.
 * @throws ApiError 400 unless it answers a challenge of this user for this site; 409 if
 * the passkey is already stored
 */
export async function addPasskey(
  db: Database,
  site: PasskeySite,
  { userId }: UserCaller,
  { name, response }: { name: string; response: PasskeyCreation },
): Promise<{ id: string }> {
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
export async function removePasskey(db: Database, { userId }: UserCaller, passkeyId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const removed = await tx
      .delete(passkeys)
      .where(and(eq(passkeys.id, passkeyId), eq(passkeys.userId, userId)))
      .returning({ id: passkeys.id });
    if (removed.length === 0) throw new ApiError("NOT_FOUND", MESSAGES.passkeyNotFound);
    await audit(tx, { kind: "user", userId }, "passkey.remove", passkeyId);
  });
}

/** Creates the options for signing in with any passkey of this site. They don't name a user. */
export async function createPasskeySignInOptions(db: Database, site: PasskeySite) {
  const { generateAuthenticationOptions } = await loadLibrary();
  const options = await generateAuthenticationOptions({
    rpID: site.id,
    userVerification: "required",
    timeout: LIMITS.challengeSeconds * 1_000,
  });
  await storeChallenge(db, options.challenge, { purpose: "passkey-sign-in", userId: null });
  return { ...options };
}

/**
 * Signs a user in with a passkey.
 * @throws ApiError 401 for an unknown passkey, a wrong signature, an unknown, used or expired challenge, another site,
 * and a signature counter that did not increase, which means that the passkey was copied
 */
export async function signInWithPasskey(
  db: Database,
  site: PasskeySite,
  response: PasskeyAnswer,
  visitor: Visitor,
): Promise<CreatedSession> {
  const { verifyAuthenticationResponse } = await loadLibrary();
  const challenge = readChallenge(response.response.clientDataJSON);
  if (!(await consumeChallenge(db, challenge, { purpose: "passkey-sign-in", userId: null })))
    throw new ApiError("UNAUTHORIZED", MESSAGES.passkeyNotValid);
  const { session, failedAt } = await db.transaction(async (tx) => {
    // Locks the passkey, so that the second of two concurrent answers is checked against the first one's counter.
    const [passkey] = await tx
      .select()
      .from(passkeys)
      .where(eq(passkeys.credentialId, fromBase64Url(response.id)))
      .for("update");
    if (!passkey) return { failedAt: null };
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
    if (!named || !verified || !authenticationInfo) return { failedAt: passkey.userId };
    await tx
      .update(passkeys)
      .set({ counter: authenticationInfo.newCounter, lastUsedAt: sql`now()` })
      .where(eq(passkeys.id, passkey.id));
    return { session: await createBrowserSession(tx, passkey.userId, "passkey", visitor) };
  });
  if (session) return session;
  if (failedAt !== null)
    await recordFailedSignIn(db, failedAt, { method: "passkey", network: visitor.network });
  throw new ApiError("UNAUTHORIZED", MESSAGES.passkeyNotValid);
}

/** Extracts the answered challenge; empty if there is none. */
function readChallenge(clientDataJSON: string): string {
  try {
    const data: unknown = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString("utf8"));
    const challenge = (data as { challenge?: unknown } | null)?.challenge;
    return typeof challenge === "string" ? challenge : "";
  } catch {
    return "";
  }
}

import { DIGEST_KINDS, type DigestChange, type DigestKind, type Digests, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { audit } from "../access/audit.js";
import type { UserCaller } from "../access/index.js";
import { hashToken, isToken } from "../keys/index.js";
import { ApiError } from "../lib/errors.js";
import type { Mailer } from "../lib/mailer.js";

const { digests, digestSubscriptions, users } = schema;

/** Returns which e-mails about meetings a user gets. */
export async function getDigests(db: Database, userId: string, mailer: Mailer | null): Promise<Digests> {
  const rows = await db
    .select({ kind: digestSubscriptions.kind })
    .from(digestSubscriptions)
    .where(eq(digestSubscriptions.userId, userId));
  const has = (wanted: DigestKind) => rows.some(({ kind }) => kind === wanted);
  return { available: mailer !== null, meeting: has("meeting"), week: has("week") };
}

/**
 * Starts or ends e-mails about meetings.
 * @throws ApiError 412 for a start without a mail server, or if the user's address is not confirmed
 */
export const updateDigests = (
  db: Database,
  caller: UserCaller,
  change: DigestChange,
  mailer: Mailer | null,
): Promise<Digests> =>
  db.transaction(async (tx) => {
    const { userId } = caller;
    for (const kind of DIGEST_KINDS) {
      if (change[kind] === true) {
        await requireMail(tx, userId, mailer);
        const added = await tx
          .insert(digestSubscriptions)
          .values({ userId, kind })
          .onConflictDoNothing()
          .returning({ kind: digestSubscriptions.kind });
        if (added.length > 0) await audit(tx, caller, "digest.subscribe", userId);
      } else if (change[kind] === false && (await endSubscription(tx, userId, kind)))
        await audit(tx, caller, "digest.unsubscribe", userId);
    }
    return getDigests(tx, userId, mailer);
  });

/** @throws ApiError 412 unless e-mails reach the user, who must have confirmed the address: they contain what was said */
async function requireMail(tx: Database, userId: string, mailer: Mailer | null): Promise<void> {
  if (mailer === null) throw new ApiError("PRECONDITION_FAILED", MESSAGES.digestsNeedMail);
  const [user] = await tx.select({ confirmed: users.emailConfirmed }).from(users).where(eq(users.id, userId));
  if (user?.confirmed !== true)
    throw new ApiError("PRECONDITION_FAILED", MESSAGES.digestsNeedConfirmedAddress);
}

/** Ends a subscription. @returns false if there was none */
async function endSubscription(tx: Database, userId: string, kind: DigestKind): Promise<boolean> {
  const ended = await tx
    .delete(digestSubscriptions)
    .where(and(eq(digestSubscriptions.userId, userId), eq(digestSubscriptions.kind, kind)))
    .returning({ kind: digestSubscriptions.kind });
  return ended.length > 0;
}

/** Returns the kind of e-mail to which a token belongs; null for an unknown or expired one. */
export const findDigest = async (db: Database, token: string): Promise<DigestKind | null> =>
  (await findByToken(db, token))?.kind ?? null;

/**
 * Ends the e-mails to which a token belongs, which is all that it can do. Works any number of times.
 * @returns their kind; null for an unknown or expired token
 */
export const unsubscribe = (db: Database, token: string): Promise<DigestKind | null> =>
  db.transaction(async (tx) => {
    const digest = await findByToken(tx, token);
    if (!digest) return null;
    const { userId, kind } = digest;
    if (await endSubscription(tx, userId, kind))
      await audit(tx, { kind: "user", userId }, "digest.unsubscribe", userId);
    return kind;
  });

async function findByToken(db: Database, token: string) {
  if (!isToken("mun_", token)) return undefined;
  const [digest] = await db
    .select({ userId: digests.userId, kind: digests.kind })
    .from(digests)
    .where(and(eq(digests.tokenHash, hashToken(token)), sql`${digests.expiresAt} > now()`));
  return digest;
}

import { secondsFromNow } from "@minutes/background";
import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { hashToken } from "../keys/index.js";

const { signInChallenges } = schema;

type Purpose = (typeof signInChallenges.$inferSelect)["purpose"];

/** The purpose of a challenge. */
interface ChallengeUse {
  readonly purpose: Purpose;
  /** The only user who can answer; null: any user. */
  readonly userId: string | null;
}

/** Stores the hash of a random challenge. */
export async function storeChallenge(
  db: Database,
  challenge: string,
  { purpose, userId }: ChallengeUse,
): Promise<void> {
  await db.insert(signInChallenges).values({
    hash: hashToken(challenge),
    purpose,
    userId,
    expiresAt: secondsFromNow(LIMITS.challengeSeconds),
  });
}

/**
 * Uses up a challenge. Only one of several concurrent answers gets true. Call it outside the sign-in's transaction, so
 * that a wrong answer uses it up as well.
 * @returns false for a challenge that is unknown, used, expired, or for another user
 */
export async function consumeChallenge(
  db: Database,
  challenge: string,
  { purpose, userId }: ChallengeUse,
): Promise<boolean> {
  const [used] = await db
    .delete(signInChallenges)
    .where(
      and(
        eq(signInChallenges.hash, hashToken(challenge)),
        eq(signInChallenges.purpose, purpose),
        sql`${signInChallenges.userId} is not distinct from ${userId}`,
        sql`${signInChallenges.expiresAt} > now()`,
      ),
    )
    .returning({ hash: signInChallenges.hash });
  return used !== undefined;
}

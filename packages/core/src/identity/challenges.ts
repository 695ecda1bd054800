import { secondsFromNow } from "@minutes/background";
import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { hashToken } from "../keys/index.js";

const { signInChallenges } = schema;

type Purpose = (typeof signInChallenges.$inferSelect)["purpose"];

/** What a challenge is for. */
interface ChallengeUse {
  readonly purpose: Purpose;
  /** The only user who may answer; null: whoever signs in. */
  readonly userId: string | null;
}

/** Stores the hash of a random challenge. Challenges that have expired are deleted on the occasion. */
export async function storeChallenge(
  db: Database,
  challenge: string,
  { purpose, userId }: ChallengeUse,
): Promise<void> {
  await db.delete(signInChallenges).where(sql`${signInChallenges.expiresAt} <= now()`);
  await db.insert(signInChallenges).values({
    hash: hashToken(challenge),
    purpose,
    userId,
    expiresAt: secondsFromNow(LIMITS.challengeSeconds),
  });
}

/**
 * Uses up a challenge. Of several answers at once one gets true. Call it outside the transaction of the sign-in, so
 * that a wrong answer uses the challenge up too.
 * @returns false for a challenge that is unknown, used or expired, or that another user has to answer.
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

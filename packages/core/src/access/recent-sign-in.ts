import { LIMITS, MESSAGES } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { ApiError } from "../lib/errors.js";

const { sessions } = schema;

/**
 * Requires a sign-in within the last `LIMITS.recentSignInSeconds`, so that the holder of a stolen session can't extend
 * the access or lock its user out.
 * @throws ApiError 403 with the header `X-Sign-In: again`, which makes pages offer to sign in again
 */
export async function requireRecentSignIn(db: Database, sessionId: string): Promise<void> {
  const [recent] = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(
      and(
        eq(sessions.id, sessionId),
        sql`${sessions.createdAt} > now() - make_interval(secs => ${LIMITS.recentSignInSeconds}::float8)`,
      ),
    );
  if (!recent) throw new ApiError("FORBIDDEN", MESSAGES.signInRecently, { "X-Sign-In": "again" });
}

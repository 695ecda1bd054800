import { secondsFromNow } from "@minutes/background";
import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { generateToken, hashToken, isToken } from "../keys/index.js";

const { knownBrowsers, users } = schema;

/**
 * Remembers that a user signed in with a browser. The token changes with each sign-in, so that a planted or copied one
 * becomes useless.
 * @param token the browser's cookie; undefined if it has none
 * @returns the new token for the cookie, in plain text only there
 */
export async function rememberBrowser(
  db: Database,
  userId: string,
  token: string | undefined,
): Promise<string> {
  const fresh = generateToken("mbr_");
  const hash = hashToken(fresh);
  await db.transaction(async (tx) => {
    // Other users of the browser stay known in it.
    if (token !== undefined)
      await tx
        .update(knownBrowsers)
        .set({ hash })
        .where(eq(knownBrowsers.hash, hashToken(token)));
    const expiresAt = secondsFromNow(LIMITS.knownBrowserSeconds);
    await tx
      .insert(knownBrowsers)
      .values({ hash, userId, expiresAt })
      .onConflictDoUpdate({ target: [knownBrowsers.hash, knownBrowsers.userId], set: { expiresAt } });
    const newest = sql`select b.hash from ${knownBrowsers} b where b.user_id = ${userId}
      and b.expires_at > now() order by b.expires_at desc limit ${LIMITS.knownBrowsersPerUser}`;
    await tx
      .delete(knownBrowsers)
      .where(and(eq(knownBrowsers.userId, userId), sql`${knownBrowsers.hash} not in (${newest})`));
  });
  return fresh;
}

/**
 * Returns the counter key of a browser in which a user has signed in before.
 * @param token the browser's cookie; undefined if it has none
 * @returns null if the browser is not known to the user
 */
export async function findKnownBrowser(
  db: Database,
  email: string,
  token: string | undefined,
): Promise<string | null> {
  if (token === undefined || !isToken("mbr_", token)) return null;
  const hash = hashToken(token);
  const [known] = await db
    .select({ userId: users.id })
    .from(knownBrowsers)
    .innerJoin(users, eq(users.id, knownBrowsers.userId))
    .where(
      and(eq(knownBrowsers.hash, hash), eq(users.email, email), sql`${knownBrowsers.expiresAt} > now()`),
    );
  return known ? Buffer.from(hash).toString("hex") : null;
}

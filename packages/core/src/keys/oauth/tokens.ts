import { secondsFromNow } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { hashToken } from "../index.js";
import { OAUTH_SECONDS } from "./lifetimes.js";
import type { OAuthAdapter, OAuthPayload } from "./store.js";

const { members, oauthGrants, oauthTokens } = schema;
export type OAuthTokenKind = (typeof oauthTokens.$inferSelect)["kind"];

/** Builds the condition that a connection has not ended: by its age, or because its user left the workspace. */
export const isOpenGrant = (grantId: SQL): SQL => sql`exists (
  select from ${oauthGrants} g join ${members} m on m.user_id = g.user_id and m.workspace_id = g.workspace_id
  where g.id = ${grantId} and g.expires_at > statement_timestamp())`;

/** True for a refresh token that was used before its grace period. */
const isPastGrace = sql<boolean>`coalesce(${oauthTokens.consumedAt} <= statement_timestamp()
  - make_interval(secs => ${OAUTH_SECONDS.refreshGrace}::float8), false)`;

/** Returns the connection that a payload belongs to: its token's, or the one that a consent made. */
const toGrantId = ({ grantId, result }: OAuthPayload): string | null =>
  grantId ?? result?.consent?.grantId ?? null;

/** Keeps a connection from ending until the transaction does. @returns false if it has ended */
async function lockGrant(tx: Database, grantId: string): Promise<boolean> {
  const open = await tx
    .select({ id: oauthGrants.id })
    .from(oauthGrants)
    .where(eq(oauthGrants.id, grantId))
    .for("key share");
  return open.length > 0;
}

/**
 * Creates the adapter that stores codes, tokens and consents by their hash.
 * @param refuseReuse creates the error for a code that was used before
 */
export function createTokenAdapter(
  db: Database,
  kind: OAuthTokenKind,
  refuseReuse: () => Error,
): OAuthAdapter {
  const isIt = (token: string) =>
    and(eq(oauthTokens.hash, hashToken(token)), eq(oauthTokens.kind, kind)) as SQL;
  return {
    upsert: async (token, { jti: _, ...payload }, seconds) => {
      const grantId = toGrantId(payload);
      const state = {
        grantId,
        payload: JSON.stringify(payload),
        scopes: kind === "AccessToken" ? (payload.scope ?? "") : null,
        expiresAt: secondsFromNow(seconds),
      };
      await db.transaction(async (tx) => {
        // A connection that ended in the meantime gets no further token.
        if (grantId !== null && !(await lockGrant(tx, grantId))) throw refuseReuse();
        await tx
          .insert(oauthTokens)
          .values({ hash: hashToken(token), kind, ...state })
          .onConflictDoUpdate({ target: oauthTokens.hash, set: state });
      });
    },
    find: async (token) => {
      const [row] = await db
        .select({
          payload: oauthTokens.payload,
          consumed:
            kind === "RefreshToken" ? isPastGrace : sql<boolean>`${oauthTokens.consumedAt} is not null`,
        })
        .from(oauthTokens)
        .where(
          sql`${isIt(token)} and ${oauthTokens.expiresAt} > statement_timestamp()
            and (${oauthTokens.kind} = 'Interaction' or ${isOpenGrant(sql`${oauthTokens.grantId}`)})`,
        );
      if (!row) return undefined;
      return {
        ...(JSON.parse(row.payload) as OAuthPayload),
        jti: token,
        ...(row.consumed ? { consumed: 1 } : {}),
      };
    },
    consume: async (token) => {
      const used = await db
        .update(oauthTokens)
        .set({ consumedAt: sql`statement_timestamp()` })
        .where(and(isIt(token), isNull(oauthTokens.consumedAt)))
        .returning({ kind: oauthTokens.kind });
      // Within its grace period, a refresh token can be used again.
      if (used.length > 0 || kind === "RefreshToken") return;
      const grantId = sql`(select t.grant_id from ${oauthTokens} t where t.hash = ${sql.param(hashToken(token), oauthTokens.hash)})`;
      await db.delete(oauthGrants).where(sql`${oauthGrants.id} = ${grantId}`);
      throw refuseReuse();
    },
    destroy: async (token) => void (await db.delete(oauthTokens).where(isIt(token))),
    revokeByGrantId: async (grantId) =>
      void (await db
        .delete(oauthTokens)
        .where(and(eq(oauthTokens.grantId, grantId), eq(oauthTokens.kind, kind)))),
  };
}

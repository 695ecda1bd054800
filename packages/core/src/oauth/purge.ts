import { type Database, schema } from "@minutes/db";
import { lte, sql } from "drizzle-orm";

const { oauthClients, oauthGrants, oauthTokens } = schema;

/** Deletes what has expired: codes, tokens and consents, connections, and clients that nobody uses. */
export async function purgeOAuth(db: Database): Promise<void> {
  for (const table of [oauthTokens, oauthGrants, oauthClients])
    await db.delete(table).where(lte(table.expiresAt, sql`now()`));
}

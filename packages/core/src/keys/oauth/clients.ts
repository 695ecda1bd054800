import { secondsFromNow } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { and, eq, sql } from "drizzle-orm";
import { MAX_UNUSED_CLIENTS, OAUTH_SECONDS } from "./lifetimes.js";
import type { OAuthAdapter, OAuthPayload } from "./store.js";

const { oauthClients } = schema;

/** True for clients that nobody consented to: consent extends their life. */
const isUnused = sql`expires_at <= created_at + make_interval(secs => ${OAUTH_SECONDS.unusedClient}::float8)`;

/** Creates the adapter of clients that register themselves. Storing one deletes the oldest unused ones beyond `MAX_UNUSED_CLIENTS`. */
export const createClientAdapter = (db: Database): OAuthAdapter => ({
  upsert: async (id, payload) => {
    await db.insert(oauthClients).values({
      ...{ id, metadata: JSON.stringify(payload) },
      expiresAt: secondsFromNow(OAUTH_SECONDS.unusedClient),
    });
    await db.execute(sql`delete from ${oauthClients} where id in (
      select id from ${oauthClients} where ${isUnused} order by created_at desc, id offset ${MAX_UNUSED_CLIENTS})`);
  },
  find: async (id) => {
    const [client] = await db
      .select({ metadata: oauthClients.metadata })
      .from(oauthClients)
      .where(and(eq(oauthClients.id, id), sql`${oauthClients.expiresAt} > now()`));
    return client && (JSON.parse(client.metadata) as OAuthPayload);
  },
  consume: async () => {},
  destroy: async (id) => void (await db.delete(oauthClients).where(eq(oauthClients.id, id))),
  revokeByGrantId: async () => {},
});

/** Keeps a registered client for as long as its newest connection. No-op for any other client. */
export const keepClient = async (tx: Database, id: string): Promise<void> => {
  await tx
    .update(oauthClients)
    .set({ expiresAt: secondsFromNow(OAUTH_SECONDS.grant + OAUTH_SECONDS.unusedClient) })
    .where(eq(oauthClients.id, id));
};

import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Keyring } from "../keyring.js";

const { webhooks } = schema;

/** Counts the webhooks whose secret was encrypted with a key that the keyring lacks: nothing is delivered to them. */
export async function countUnreadableSecrets(db: Database, keyring: Keyring | null): Promise<number> {
  const keys = await db
    .select({ id: webhooks.secretKeyId, webhooks: sql<number>`count(*)::int` })
    .from(webhooks)
    .where(sql`${webhooks.secretKeyId} is not null`)
    .groupBy(webhooks.secretKeyId);
  return keys
    .filter(({ id }) => id !== null && !keyring?.has(id))
    .reduce((sum, key) => sum + key.webhooks, 0);
}

import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Keyring } from "../keyring.js";

const { webhooks } = schema;

/** Counts webhooks whose secret is encrypted with a key missing from the keyring. They receive nothing. */
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

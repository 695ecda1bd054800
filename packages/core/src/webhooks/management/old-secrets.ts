import { LIMITS } from "@minutes/contract";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";

const { webhookOldSecrets } = schema;

/**
 * Keeps a replaced secret valid for 24 hours next to the new one, up to the latest three. Part of the caller's
 * transaction, which has locked the webhook.
 * @see docs/decisions/0043-webhook-secrets.md
 */
export async function keepOldSecret(
  tx: Database,
  webhookId: string,
  { secretKeyId, secret }: { readonly secretKeyId: string | null; readonly secret: Uint8Array | null },
): Promise<void> {
  if (secretKeyId === null || secret === null) return;
  const expiresAt = sql`now() + make_interval(hours => ${LIMITS.webhookOldSecretHours}::int)`;
  await tx.insert(webhookOldSecrets).values({ webhookId, secretKeyId, secret, expiresAt });
  await tx.delete(webhookOldSecrets).where(
    sql`${webhookOldSecrets.webhookId} = ${webhookId} and ${webhookOldSecrets.id} not in (
      select s.id from ${webhookOldSecrets} s where s.webhook_id = ${webhookId} order by s.id desc limit ${LIMITS.webhookOldSecrets})`,
  );
}

import { type Database, schema } from "@minutes/db";
import { eq, sql } from "drizzle-orm";
import type { Keyring } from "./secrets.js";

const { deliveries, webhookEvents, webhooks } = schema;

/** Rows that one statement deletes: short enough that nothing waits for it. */
const BATCH = 1_000;

/** How long deliveries stay in the log, in days, unless the installation says otherwise. */
export const LOG_DAYS = 30;

/**
 * Deletes deliveries that are finished and older than `days`, then events and deleted webhooks that nothing in the
 * log refers to any more.
 */
export async function purgeLog(db: Database, days: number): Promise<void> {
  const old = sql`now() - make_interval(days => ${days}::int)`;
  // An id tells its time, so this reads the oldest rows and stops.
  const oldIds = schema.firstDeliveryIdAt(old);
  await inBatches(() =>
    db
      .delete(deliveries)
      .where(
        sql`${deliveries.id} in (select d.id from ${deliveries} d where d.id < ${oldIds} and d.created_at < ${old}
            and (d.state <> 'pending' or d.event_id is null) order by d.id limit ${BATCH})`,
      )
      .returning({ id: deliveries.id }),
  );
  await inBatches(() =>
    db
      .delete(webhookEvents)
      .where(
        sql`${webhookEvents.id} in (select e.id from ${webhookEvents} e where e.created_at < ${old}
            and not exists (select from ${deliveries} d where d.event_id = e.id) limit ${BATCH})`,
      )
      .returning({ id: webhookEvents.id }),
  );
  await db
    .delete(webhooks)
    .where(
      sql`${webhooks.deletedAt} < ${old} and not exists (select from ${deliveries} d where d.webhook_id = ${webhooks.id})`,
    );
}

async function inBatches(deleteSome: () => PromiseLike<readonly unknown[]>): Promise<void> {
  while ((await deleteSome()).length === BATCH);
}

/**
 * Encrypts with the ring's first key what was encrypted with another one of its keys, so that that one can go. What a
 * key encrypted that is in the ring no more stays as it is, and holds up nothing else.
 * @returns how many were encrypted anew.
 */
export async function rotateSecrets(db: Database, keyring: Keyring): Promise<number> {
  return db.transaction(async (tx) => {
    const rows = await tx
      .select({ id: webhooks.id, secretKeyId: webhooks.secretKeyId, secret: webhooks.secret })
      .from(webhooks)
      .where(sql`${webhooks.secretKeyId} <> ${keyring.keyId}`)
      .for("update");
    let rotated = 0;
    for (const { id, secretKeyId, secret } of rows) {
      if (secretKeyId === null || secret === null || !keyring.knows(secretKeyId)) continue;
      const clear = keyring.open({ secretKeyId, secret }, id);
      await tx.update(webhooks).set(keyring.seal(clear, id)).where(eq(webhooks.id, id));
      rotated++;
    }
    return rotated;
  });
}

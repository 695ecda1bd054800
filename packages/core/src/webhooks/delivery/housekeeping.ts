import { type BackgroundLoop, HOUR, runInBatches, secondsFromNow, startEvery } from "@minutes/background";
import { type Database, schema } from "@minutes/db";
import { sql } from "drizzle-orm";
import type { Keyring } from "../../lib/keyring.js";
import type { Mailer } from "../../lib/mailer.js";
import { sendPauseMails } from "./pause.js";
import { type DamagedSecrets, rotateSecrets } from "./rotate-secrets.js";

const { deliveries, webhookEvents, webhooks } = schema;

export interface HousekeepingOptions {
  readonly db: Database;
  readonly keyring: Keyring;
  readonly logDays: number;
  /** The longest lease or delay of a delivery, in seconds. */
  readonly longestDelay: number;
  /** Null: e-mails are off. */
  readonly mailer: Mailer | null;
  readonly onFault: (error: unknown) => void;
  /** Called each hour for secrets that can't be decrypted with their key. */
  readonly onDamaged?: ((damaged: DamagedSecrets) => void) | undefined;
}

/**
 * Corrects times that are too far ahead, purges the log, rotates secrets and retries refused e-mails about pauses, immediately
 * and then every hour.
 */
export const startHousekeeping = (options: HousekeepingOptions): BackgroundLoop => {
  const { db, keyring, logDays, longestDelay, mailer, onFault, onDamaged } = options;
  return startEvery(
    HOUR,
    async () => {
      // Independent steps: a secret that can't be decrypted must not keep content beyond its days.
      await pullForward(db, longestDelay).catch(onFault);
      await purgeLog(db, logDays).catch(onFault);
      await rotateSecrets(db, keyring, onDamaged).catch(onFault);
      if (mailer) await sendPauseMails(db, mailer).catch(onFault);
    },
    onFault,
  );
};

/** Delay in seconds of a delivery that is pulled forward: longer than it takes to renew the lease of one being sent. */
const PULLED_DELAY = 60;

/**
 * Pulls deliveries and events forward that are due later than any can be. The database's clock was ahead when they were written,
 * and has been set back: they would wait as long as it was ahead, and later changes of the same meeting with them.
 */
export async function pullForward(db: Database, longestDelay: number): Promise<void> {
  await runInBatches((limit) =>
    db
      .update(deliveries)
      .set({ dueAt: secondsFromNow(PULLED_DELAY) })
      .where(
        sql`${deliveries.id} in (select d.id from ${deliveries} d where d.state = 'pending' and d.event_id is not null
          and d.due_at > ${secondsFromNow(longestDelay + PULLED_DELAY)} limit ${limit})`,
      )
      .returning({ id: deliveries.id }),
  );
  await db
    .update(webhookEvents)
    .set({ createdAt: sql`now()` })
    .where(sql`${webhookEvents.data} is null and ${webhookEvents.createdAt} > ${secondsFromNow(1)}`);
}

/** Deletes finished deliveries older than `days`, then events and deleted webhooks without deliveries. */
export async function purgeLog(db: Database, days: number): Promise<void> {
  const cutoff = sql`now() - make_interval(days => ${days}::int)`;
  // Ids contain their time, so the statement reads only the oldest rows.
  const cutoffId = schema.toFirstDeliveryId(cutoff);
  await runInBatches((limit) =>
    db
      .delete(deliveries)
      .where(
        sql`${deliveries.id} in (select d.id from ${deliveries} d where d.id < ${cutoffId} and d.created_at < ${cutoff}
            and (d.state <> 'pending' or d.event_id is null) order by d.id limit ${limit})`,
      )
      .returning({ id: deliveries.id }),
  );
  await runInBatches((limit) =>
    db
      .delete(webhookEvents)
      .where(
        sql`${webhookEvents.id} in (select e.id from ${webhookEvents} e where e.created_at < ${cutoff}
            and not exists (select from ${deliveries} d where d.event_id = e.id) limit ${limit})`,
      )
      .returning({ id: webhookEvents.id }),
  );
  await db
    .delete(webhooks)
    .where(
      sql`${webhooks.deletedAt} < ${cutoff} and not exists (select from ${deliveries} d where d.webhook_id = ${webhooks.id})`,
    );
}

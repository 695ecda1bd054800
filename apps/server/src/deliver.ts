import { readFile } from "node:fs/promises";
import {
  createSender,
  createSmtpMailer,
  type DeliveryWorker,
  type Mailer,
  startDeliveryWorker,
  toErrorResponse,
} from "@minutes/core";
import type { Logger } from "pino";
import { type Env, SettingsError } from "./env.js";
import type { OpenDatabase } from "./open-database.js";
import type { Watch } from "./watch/watch.js";

/** Creates what sends e-mails; null without a mail server. */
export const createMailer = (env: Pick<Env, "SMTP_URL" | "SMTP_FROM">): Mailer | null =>
  env.SMTP_URL === undefined ? null : createSmtpMailer({ url: env.SMTP_URL, from: env.SMTP_FROM });

/**
 * Starts the delivery worker as the settings say; null, with a word in the log, where there is no key for secrets.
 * @throws SettingsError when the file of certificates can't be read.
 */
export async function startDeliveries(
  database: OpenDatabase,
  env: Env,
  log: Logger,
  { onAttempt, traceDelivery }: Pick<Watch, "onAttempt" | "traceDelivery">,
): Promise<DeliveryWorker | null> {
  const { connection, webhooks } = database;
  if (!webhooks.keyring) {
    log.warn("webhooks are off: SECRETS_KEY is not set");
    return null;
  }
  return startDeliveryWorker({
    connection,
    keyring: webhooks.keyring,
    sender: createSender({ guard: webhooks.guard, extraCa: await readCertificates(env) }),
    notice: {
      mailer: createMailer(env),
      onNotice: (failed, mailed) => log.warn({ ...failed, mailed }, "webhook delivery failed for good"),
      onPause: (webhookId, mailed) => log.warn({ webhookId, mailed }, "webhook paused"),
    },
    onAttempt,
    traceDelivery,
    onFault: (error) => log.error({ fault: toErrorResponse(error).fault }, "webhook delivery"),
    retryDelays: env.WEBHOOK_RETRY_DELAYS,
    concurrency: env.WEBHOOK_CONCURRENCY,
    logDays: env.WEBHOOK_LOG_DAYS,
    pause: { failures: env.WEBHOOK_PAUSE_FAILURES, hours: env.WEBHOOK_PAUSE_HOURS },
  });
}

async function readCertificates({ WEBHOOK_CA_FILE: file }: Env): Promise<string | undefined> {
  if (file === undefined) return undefined;
  return readFile(file, "utf8").catch(() => {
    throw new SettingsError("WEBHOOK_CA_FILE can't be read.");
  });
}

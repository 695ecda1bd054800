import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import {
  countUnreadableSecrets,
  createSender,
  createSmtpMailer,
  type DeliveryWorker,
  type Mailer,
  startDeliveryWorker,
  toErrorResponse,
} from "@minutes/core";
import type { Logger } from "pino";
import { type Config, SETTINGS, SettingsError } from "../config/config.js";
import type { OpenDatabase } from "./installation.js";
import type { Watch } from "./watch/watch.js";

/**
 * Creates the mailer; null without a mail server.
 * @param onFault called with the loggable reason of each e-mail that the mail server didn't take, before the mailer throws
 */
export function createMailer(
  config: Pick<Config, "SMTP_URL" | "SMTP_FROM">,
  onFault: (fault: string | null) => void = () => {},
): Mailer | null {
  if (config.SMTP_URL === undefined) return null;
  const send = createSmtpMailer({ url: config.SMTP_URL, from: config.SMTP_FROM });
  return (mail) =>
    send(mail).catch((error: unknown) => {
      onFault(toErrorResponse(error).fault);
      throw error;
    });
}

/**
 * Starts the delivery worker with the settings; null, with a log line, if there is no key for secrets.
 * @throws SettingsError if the certificate file can't be read
 */
export async function startDeliveries(
  database: OpenDatabase,
  config: Config,
  log: Logger,
  {
    onAttempt,
    onFailedDelivery,
    traceDelivery,
  }: Pick<Watch, "onAttempt" | "onFailedDelivery" | "traceDelivery">,
): Promise<DeliveryWorker | null> {
  const { connection, mailer, publicUrl, webhooks } = database;
  if (!webhooks.keyring) {
    log.warn("webhooks are off: SECRETS_KEY is not set");
    return null;
  }
  return startDeliveryWorker({
    connection,
    keyring: webhooks.keyring,
    sender: createSender({ targetPolicy: webhooks.targetPolicy, extraCa: await readCertificates(config) }),
    publicUrl: publicUrl.get,
    notice: {
      mailer,
      onNotice: (failed, mailed) => {
        if (mailed) log.info(failed, "the webhook's holders were notified of failed deliveries by e-mail");
      },
      onPause: (webhookId, mailed) => log.warn({ webhookId, mailed }, "webhook paused"),
    },
    onAttempt,
    onFailed: (failed) => {
      log.warn(failed, "webhook delivery failed for good");
      onFailedDelivery?.();
    },
    traceDelivery,
    onFault: (error) => log.error({ fault: toErrorResponse(error).fault }, "sending webhooks failed"),
    onDamagedSecrets: (damaged) => log.error(damaged, "secrets can't be decrypted with their key"),
    retryDelays: config.WEBHOOK_RETRY_DELAYS,
    logDays: config.WEBHOOK_LOG_DAYS,
  });
}

/**
 * Logs webhook secrets encrypted with a key missing from the settings. Their deliveries wait for the key, without
 * counting attempts.
 */
export async function reportUnreadableSecrets(
  { db, webhooks: { keyring } }: Pick<OpenDatabase, "db" | "webhooks">,
  log: Logger,
): Promise<void> {
  const webhooks = await countUnreadableSecrets(db, keyring);
  if (webhooks > 0)
    log.error(
      { webhooks },
      "webhook deliveries wait: their secrets were encrypted with another key, add it to SECRETS_KEY",
    );
}

/** Reads the certificates that webhooks' servers can also have. @throws SettingsError */
export async function readCertificates({ WEBHOOK_CA_FILE: file }: Config): Promise<string | undefined> {
  if (file === undefined) return undefined;
  try {
    const certificates = await readFile(file, "utf8");
    new X509Certificate(certificates);
    return certificates;
  } catch {
    throw new SettingsError(
      `WEBHOOK_CA_FILE must be ${SETTINGS.WEBHOOK_CA_FILE.must} that this user can read.`,
    );
  }
}

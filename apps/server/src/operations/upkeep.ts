import { resolve } from "node:path";
import { HOUR, startEvery } from "@minutes/background";
import {
  expireAudio,
  expireRecordings,
  identifyRecentPeople,
  identifyRemainingPeople,
  notifyExpiringKeys,
  purgeAudit,
  purgeExpired,
  purgePeople,
  purgeRateWindows,
  purgeSync,
  purgeVersions,
  queueWeeklyDigests,
  runRetention,
  sendAccessRequestMails,
  sendDigests,
  settlePeople,
  toErrorResponse,
} from "@minutes/core";
import type { Database } from "@minutes/db";
import type { Logger } from "pino";
import type { Config } from "../config/config.js";
import type { OpenDatabase } from "./installation.js";
import { removeCopies } from "./temporary-files.js";

/** Work by the message that the log has when it fails. */
type Work = Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>>;

/** Starts work that runs now and every `interval` ms. */
const repeat = (log: Logger, interval: number, work: Work) =>
  Object.entries(work).map(([failed, run]) =>
    startEvery(interval, run, (error) => log.error({ fault: toErrorResponse(error).fault }, failed)),
  );

/** Removes what killed commands left in this machine's data directory. Processes of all roles do. */
export const startCleanup = (config: Config, log: Logger) =>
  repeat(log, HOUR, {
    "removal of abandoned copies failed": () => removeCopies(resolve(config.DATA_DIR)),
  });

/** Starts what an installation repeats: it settles people, and deletes what has expired. */
export const startUpkeep = (db: Database, config: Config, log: Logger) => [
  ...repeat(log, 10_000, { "work on people failed": (signal) => identifyRecentPeople(db, signal) }),
  ...repeat(log, 1_000, { "renaming of people failed": (signal) => settlePeople(db, signal) }),
  ...repeat(log, 60_000, { "expiry of kept audio failed": () => expireAudio(db) }),
  ...repeat(log, HOUR, {
    "audit log purge failed": () => purgeAudit(db, config.AUDIT_LOG_DAYS),
    "expiry of recordings failed": () => expireRecordings(db, config.RECORDING_DAYS),
    "purge of expired rows failed": () => purgeExpired(db),
    "retention failed": (signal) => runRetention(db, signal),
    "purge of versions failed": () => purgeVersions(db, config.VERSION_DAYS),
    "purge of quota windows failed": () => purgeRateWindows(db),
    "purge of the change feed failed": () => purgeSync(db),
    "identification of people failed": (signal) => identifyRemainingPeople(db, signal),
    "purge of people failed": (signal) => purgePeople(db, signal),
  }),
];

/**
 * Sends the e-mails about keys that expire soon, meetings and requests for access, if a mail server is set. Processes of all
 * roles do, each e-mail once.
 */
export function startMails(
  db: Database,
  { mailer, publicUrl }: Pick<OpenDatabase, "mailer" | "publicUrl">,
  log: Logger,
) {
  if (!mailer) return [];
  const logFault = (failed: string) => (error: unknown) =>
    log.error({ fault: toErrorResponse(error).fault }, failed);
  const key = "mail about an expiring key failed";
  const meeting = "mail about a meeting failed";
  const request = "mail about a request for access failed";
  const digests = { mailer, publicUrl: publicUrl.get, onFault: logFault(meeting) };
  const requests = { ...digests, onFault: logFault(request) };
  return [
    ...repeat(log, HOUR, { [key]: () => notifyExpiringKeys(db, mailer, logFault(key)) }),
    ...repeat(log, 10_000, { [meeting]: (signal) => sendDigests(db, digests, signal) }),
    ...repeat(log, 10_000, { [request]: (signal) => sendAccessRequestMails(db, requests, signal) }),
    ...repeat(log, 60_000, { "weekly mail failed": () => queueWeeklyDigests(db) }),
  ];
}
